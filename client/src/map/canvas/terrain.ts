// What each tile of the country looks like: biome, road and pieces of the atlas. Pure.
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

/**
 * The kinds of ground, from the lowest up. The edge of a higher kind is drawn over a neighbouring tile of a lower
 * kind.
 */
const LANDS = ['water', 'lava', 'sand', 'plains', 'coastal', 'forest', 'hills', 'volcanic', 'crystalline'] as const
type Land = (typeof LANDS)[number]

function landOf(look: number): Land {
  const { tile, biome } = unpack(look)
  return tile === WATER ? 'water' : tile === LAVA ? 'lava' : tile === SAND ? 'sand' : biome
}

/** The lowest piece of a tile, in a variant that depends on the tile's position. */
export function groundPiece(look: number, x: number, y: number): string {
  const n = scatter(x, y)
  const land = landOf(look)
  if (land === 'water' || land === 'lava') return `${land}.${n % 4}`
  if (land === 'sand') return `sand.${(n >>> 8) % 4}`
  return `ground.${land}.${n % 12 === 0 ? 4 + ((n >>> 8) % 2) : (n >>> 8) % 4}`
}

/**
 * The neighbours of a tile: north, east, south, west, then the corners clockwise from the
 * north-east.
 */
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

/** For each corner, the two sides next to it, as indices into SIDES. */
const BESIDE = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
] as const

/** The edges of neighbouring ground that are drawn on a tile, from the lowest kind up. */
export function fringes(at: Looks, x: number, y: number): string[] {
  const look = at(x, y) & LAND_BITS
  // Skips the work for most tiles: all neighbours have the same kind of ground.
  if (SIDES.every(([dx, dy]) => (at(x + dx, y + dy) & LAND_BITS) === look)) return []
  const own = LANDS.indexOf(landOf(look))
  const around = SIDES.map(([dx, dy]) => LANDS.indexOf(landOf(at(x + dx, y + dy))))
  const out: { land: number; side: number }[] = []
  around.forEach((land, side) => {
    if (land <= own) return
    // A corner is covered already if a side next to it has the same kind of ground.
    if (side >= 4 && BESIDE[side - 4]!.some((s) => around[s] === land)) return
    out.push({ land, side })
  })
  out.sort((a, b) => a.land - b.land)
  return out.map(({ land, side }) => `fringe.${LANDS[land]}.${side}.${scatter(x, y, side) % 2}`)
}

/** The bits of a look that hold the tile and its biome. */
const LAND_BITS = 255

/** The level of the road on a tile: 0 for none, 3 for cobbles. */
function wayOf(look: number): 0 | 1 | 2 | 3 {
  const { tile, road } = unpack(look)
  if (tile === FLOOR) return 3
  if (tile === DOOR) return 2
  return tile === PATH && road === 0 ? 1 : road
}

/** The pieces of the road on a tile, connected with the roads on neighbouring tiles; none without a road. */
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

/** How much grows around a tile, 0 to 9. Neighbouring tiles have the same value, so plants grow in groups. */
function growth(x: number, y: number): number {
  return scatter((x + (y >> 2)) >> 2, y >> 2, 9) % 10
}

/** The piece that stands on a tile, such as a tree; null for none. */
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

/** Decodes the layer with this name; null if there is none, because nothing was written into it yet. */
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
