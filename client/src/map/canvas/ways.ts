// Finds ways over the country on the page: for heroes that go home when their process is done, and for caravans.
// The server sends the ways of heroes at work. Pure.
import type { Fort, Point, Site, Walk, World } from '../../net/protocol.gen'
import { COUNTRY_SIDE, decodeGrid } from '../../state/grid'
import { shortestPath } from './path'
import { siteOf } from './terrain'

const SIDE = COUNTRY_SIDE
/** The tiles on which one can walk (P10.7). */
const FLOORS: ReadonlySet<number> = new Set([0, 3, 4, 6, 7, 8])
/** TILE_MS: the time for a tile. HOME_MS: the maximum time of a way home. Both are in milliseconds. */
const TILE_MS = 150
const HOME_MS = 6_000

/** The shortest way from one tile to another, including both; null if there is none. */
export function wayOver({ country, forts }: Pick<World, 'country' | 'forts'>, from: Point, to: Point): Point[] | null {
  const blocked = blockedOf(country.tiles.width === SIDE ? decodeGrid(country.tiles) : null, country.sites, forts)
  return shortestPath({ width: SIDE, height: SIDE, blocked }, from, to)
}

function blockedOf(tiles: Uint8Array | null, sites: readonly Site[], forts: readonly Fort[]): Uint8Array {
  const out = new Uint8Array(SIDE * SIDE)
  if (tiles) for (let i = 0; i < out.length; i++) out[i] = FLOORS.has(tiles[i]!) ? 0 : 1
  const block = (x0: number, y0: number, w: number, h: number): void => {
    for (let y = y0; y < y0 + h; y++) for (let x = x0; x < x0 + w; x++) out[y * SIDE + x] = 1
  }
  for (const s of sites) block(s.x, s.y, s.width, s.height)
  for (const f of forts) block(f.x - 2, f.y - 2, 5, 5)
  return out
}

/**
 * The walk home of a hero in a room or in the country; null if there is no way, or if the hero is at home already.
 */
export function walkHome(
  world: Pick<World, 'country' | 'forts'>,
  from: { room: string | null; x: number; y: number },
  to: Point,
): Walk | null {
  const site = from.room === null ? undefined : siteOf(world.country.sites, from.room)
  const path = wayOver(world, site ? [site.doorX, site.doorY] : [Math.round(from.x), Math.round(from.y)], to)
  if (path === null || path.length < 2) return null
  const msPerTile = Math.max(1, Math.floor(Math.min(TILE_MS, HOME_MS / path.length)))
  return { path, room: [], startsAt: '', arrivesAt: '', msPerTile }
}
