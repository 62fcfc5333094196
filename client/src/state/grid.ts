// Layers of the country, run-length encoded as in shared/world/grid.go.
import type { Grid } from '../net/protocol.gen'

/** The width and height of the country in tiles. */
export const COUNTRY_SIDE = 120

/** Run-length encodes tiles in reading order. Equal layers have equal encodings. */
function encodeGrid(name: string, width: number, height: number, tiles: Uint8Array): Grid {
  const runs: number[] = []
  for (let i = 0; i < tiles.length;) {
    let end = i + 1
    while (end < tiles.length && tiles[end] === tiles[i]) end++
    runs.push(tiles[i]!, end - i)
    i = end
  }
  return { name, width, height, runs }
}

/** Decodes a run-length encoded layer in reading order. Tiles that its runs do not reach are 0. */
export function decodeGrid(grid: Grid): Uint8Array {
  const tiles = new Uint8Array(grid.width * grid.height)
  let at = 0
  for (let i = 0; i + 1 < grid.runs.length; i += 2) {
    tiles.fill(grid.runs[i]!, at, at + grid.runs[i + 1]!)
    at += grid.runs[i + 1]!
  }
  return tiles
}

/**
 * Sets the tiles at the points of the named layer; value returns the tile for the i-th point. A new layer begins with
 * zeros. Points outside of the layer are ignored.
 */
export function layer(grids: Grid[], name: string, points: readonly number[][], value: (i: number) => number): Grid[] {
  if (points.length === 0) return grids
  const at = grids.findIndex((g) => g.name === name)
  const grid = at < 0 ? { name, width: COUNTRY_SIDE, height: COUNTRY_SIDE, runs: [] } : grids[at]!
  const tiles = decodeGrid(grid)
  points.forEach(([x = -1, y = -1], i) => {
    if (x >= 0 && x < grid.width && y >= 0 && y < grid.height) tiles[y * grid.width + x] = value(i)
  })
  const set = encodeGrid(name, grid.width, grid.height, tiles)
  return at < 0 ? [...grids, set] : grids.with(at, set)
}
