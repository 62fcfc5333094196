// What each tile of the overworld looks like: biome, road and pieces of the atlas. Pure.
import type { Fort, Grid, Site } from '../../net/protocol.gen'
import { COUNTRY_SIDE, decodeGrid } from '../../state/grid'

/** The width and height of a tile in the atlas, in pixels. */
export const TILE = 16

export const BIOMES = ['forest', 'coastal', 'plains', 'hills', 'volcanic', 'crystalline'] as const
type Biome = (typeof BIOMES)[number]
const PLAINS = BIOMES.indexOf('plains')

/** The radius of plains around the keep, in tiles. */
const KEEP_PLAINS = 11

/** The tile numbers of World.Country (P10.7). */
export const GRASS = 0
export const WALL = 1
export const WATER = 2
const DOOR = 3
const FLOOR = 4
export const TREE = 5
export const HILL = 6
const SAND = 7
const PATH = 8
const LAVA = 9
const CRYSTAL = 10

/** The look of a road by how often heroes walked on the tile: 0 grass, 1 trodden, 2 gravel, 3 cobbled (P10.9). */
export function roadLook(wear: number): 0 | 1 | 2 | 3 {
  return wear >= 6 ? 3 : wear >= 3 ? 2 : wear >= 1 ? 1 : 0
}

/** A pseudo-random number from a position, the same on every page. */
export function scatter(x: number, y: number, salt = 0): number {
  let h = Math.imul(x + 1, 0x27d4eb2d) ^ Math.imul(y + 1, 0x165667b1) ^ Math.imul(salt + 1, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}

/** A hash of a text, for choosing a hero's outline. */
export function textHash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h >>> 0
}

/** The biome of each tile, as an index into BIOMES: plains around the keep, elsewhere the biome of the nearest fort. */
export function biomes(forts: readonly Fort[], keep: Site | undefined, side = COUNTRY_SIDE): Uint8Array {
  const out = new Uint8Array(side * side).fill(PLAINS)
  if (forts.length === 0) return out
  const kx = keep ? keep.x + keep.width / 2 : side / 2
  const ky = keep ? keep.y + keep.height / 2 : side / 2
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if ((x - kx) ** 2 + (y - ky) ** 2 < KEEP_PLAINS ** 2) continue
      let nearest = forts[0]!
      let least = Infinity
      for (const f of forts) {
        const d = (f.x - x) ** 2 + (f.y - y) ** 2
        if (d < least) {
          least = d
          nearest = f
        }
      }
      const i = BIOMES.indexOf(nearest.biome)
      out[y * side + x] = i < 0 ? PLAINS : i
    }
  }
  return out
}

/**
 * The look of each tile: the tile, its biome and its road, packed into one number. Tiles with equal numbers look the
 * same.
 */
export function looks(tiles: Uint8Array, biome: Uint8Array, worn: Uint8Array | null): Uint16Array {
  const out = new Uint16Array(tiles.length)
  for (let i = 0; i < tiles.length; i++) out[i] = tiles[i]! | (biome[i]! << 4) | (roadLook(worn?.[i] ?? 0) << 8)
  return out
}

export interface Look {
  tile: number
  biome: Biome
  road: 0 | 1 | 2 | 3
}

export function unpack(look: number): Look {
  return { tile: look & 15, biome: BIOMES[(look >> 4) & 15] ?? 'plains', road: ((look >> 8) & 3) as Look['road'] }
}

/** The look of the tile at a position; the look of grass outside of the country. */
export type Looks = (x: number, y: number) => number

/** What the ground of a tile is, from the lowest up: a land reaches over the edges of those before it. */
const LANDS = ['water', 'lava', 'sand', 'plains', 'coastal', 'forest', 'hills', 'volcanic', 'crystalline'] as const
type Land = (typeof LANDS)[number]

function landOf(look: number): Land {
  const { tile, biome } = unpack(look)
  return tile === WATER ? 'water' : tile === LAVA ? 'lava' : tile === SAND ? 'sand' : biome
}

/** The piece under all others of a tile. One ground tile in twelve is a variant with an accent. */
export function groundPiece(look: number, x: number, y: number): string {
  const n = scatter(x, y)
  const land = landOf(look)
  if (land === 'water' || land === 'lava') return `${land}.${n % 4}`
  if (land === 'sand') return `sand.${(n >>> 8) % 4}`
  return `ground.${land}.${n % 12 === 0 ? 4 + ((n >>> 8) % 2) : (n >>> 8) % 4}`
}

/** The neighbours of a tile: north, east, south, west, then the corners from the north-east on, clockwise. */
const SIDES = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
] as const

/** The two sides beside each corner. */
const BESIDE = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
] as const

/** The edges of the lands around a tile that reach into it, from the lowest land up. */
export function fringes(at: Looks, x: number, y: number): string[] {
  const look = at(x, y) & LAND_BITS
  // Most tiles have neighbours of their own land.
  if (SIDES.every(([dx, dy]) => (at(x + dx, y + dy) & LAND_BITS) === look)) return []
  const own = LANDS.indexOf(landOf(look))
  const around = SIDES.map(([dx, dy]) => LANDS.indexOf(landOf(at(x + dx, y + dy))))
  const out: { land: number; side: number }[] = []
  around.forEach((land, side) => {
    if (land <= own) return
    // A corner is not drawn where a side beside it is of the same land.
    if (side >= 4 && BESIDE[side - 4]!.some((s) => around[s] === land)) return
    out.push({ land, side })
  })
  out.sort((a, b) => a.land - b.land)
  return out.map(({ land, side }) => `fringe.${LANDS[land]}.${side}.${scatter(x, y, side) % 2}`)
}

/** The bits of a look that say the tile and its biome, as looks packs them. */
const LAND_BITS = 255

/** How built the way on a tile is: 0 for none, 3 for cobbles. */
function wayOf(look: number): 0 | 1 | 2 | 3 {
  const { tile, road } = unpack(look)
  if (tile === FLOOR) return 3
  if (tile === DOOR) return 2
  return tile === PATH && road === 0 ? 1 : road
}

/** The pieces of the road on a tile, which leads to the roads around it; none without a road. */
export function roadPieces(at: Looks, x: number, y: number): string[] {
  const level = wayOf(at(x, y))
  if (level === 0) return []
  const to = SIDES.map(([dx, dy]) => wayOf(at(x + dx, y + dy)) > 0)
  let mask = 0
  for (let side = 0; side < 4; side++) if (to[side]) mask |= 1 << side
  const out = [0, 1, 2, 3]
    .filter((corner) => to[4 + corner] && BESIDE[corner]!.every((side) => !to[side]))
    .map((corner) => `road.${level}.corner${corner}`)
  return [...out, `road.${level}.${mask}.${scatter(x, y, 3) % 2}`]
}

/** How much grows low around a tile, 0 to 9; the same for neighbours, so that it grows in clumps. */
function growth(x: number, y: number): number {
  return scatter((x + (y >> 2)) >> 2, y >> 2, 9) % 10
}

/** The upright piece on a tile, such as a tree; null for none. */
export function standingPiece(look: number, x: number, y: number): string | null {
  const { tile, biome } = unpack(look)
  const n = scatter(x, y, 1)
  if (tile === TREE) return `tree.${biome}.${n % 3}`
  if (tile === CRYSTAL) return `crystal.${n % 3}`
  if (tile === WALL) return `rock.${n % 2}`
  const low = tile === HILL ? 7 : 2
  if (wayOf(look) === 0 && (tile === HILL || tile === GRASS) && growth(x, y) >= 10 - low && (n >>> 4) % 10 < low - 1)
    return `hill.${biome}.${(n >>> 8) % 4}`
  return null
}

/** Clears trees and rocks from tiles that a house or a fort covers. */
export function cover(
  tiles: Uint8Array,
  sites: readonly Site[],
  forts: readonly Fort[],
  side = COUNTRY_SIDE,
): Uint8Array {
  const out = tiles.slice()
  const clear = (x0: number, y0: number, w: number, h: number): void => {
    for (let y = Math.max(0, y0); y < Math.min(side, y0 + h); y++)
      for (let x = Math.max(0, x0); x < Math.min(side, x0 + w); x++)
        if (out[y * side + x] === WALL || out[y * side + x] === TREE || out[y * side + x] === CRYSTAL)
          out[y * side + x] = GRASS
  }
  for (const s of sites) clear(s.x, s.y, s.width, s.height)
  for (const f of forts) clear(f.x - 2, f.y - 2, 5, 5)
  return out
}

/** The decoded layer with this name; null if it is empty. */
export function layerOf(grids: readonly Grid[], name: string): Uint8Array | null {
  const grid = grids.find((g) => g.name === name)
  return grid ? decodeGrid(grid) : null
}

/** The house of a path: the house of the path's top-level folder or, if that folder has no house, the keep. */
export function siteOf(sites: readonly Site[], path: string): Site | undefined {
  const top = path.split('/')[0] ?? ''
  return sites.find((s) => s.path === top && top !== '') ?? sites.find((s) => s.path === '')
}

/** The piece for a site. */
export function sitePiece(s: Site): string {
  return s.path === '' ? 'site.keep' : s.width >= 5 ? 'site.large' : s.width >= 4 ? 'site.medium' : 'site.small'
}
