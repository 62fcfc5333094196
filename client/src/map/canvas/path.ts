// Finds shortest paths over the tiles of a grid: of a room's floor, and of the country. Pure.

export interface Grid {
  width: number
  height: number
  /** For each tile, row by row: not 0 if nobody can walk on it. */
  blocked: Uint8Array
}

const STEPS = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const

/**
 * The tiles of the shortest path from one tile to another, including both, as x and y; null if there is none. The two
 * may be blocked.
 */
export function shortestPath(
  { width, height, blocked }: Grid,
  from: readonly [number, number],
  to: readonly [number, number],
): [number, number][] | null {
  const [start, end] = [from[1] * width + from[0], to[1] * width + to[0]]
  const came = new Int32Array(width * height).fill(-1)
  came[end] = end
  const queue = [end]
  for (let i = 0; i < queue.length && came[start]! < 0; i++) {
    const at = queue[i]!
    for (const [dx, dy] of STEPS) {
      const [x, y] = [(at % width) + dx, Math.floor(at / width) + dy]
      const next = y * width + x
      if (x < 0 || y < 0 || x >= width || y >= height || came[next]! >= 0 || (blocked[next] && next !== start)) continue
      came[next] = at
      queue.push(next)
    }
  }
  if (came[start]! < 0) return null
  const out: [number, number][] = []
  for (let at = start; ; at = came[at]!) {
    out.push([at % width, Math.floor(at / width)])
    if (at === end) return out
  }
}
