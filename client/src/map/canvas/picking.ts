// Finds what a click hit. The point is in tiles, with fractions. Pure.
import type { Fort, Room, Site } from '../../net/protocol.gen'

/** What was clicked. */
export type Pick =
  | { kind: 'site'; path: string }
  | { kind: 'fort'; id: string }
  | { kind: 'hero'; id: string }
  | { kind: 'object'; path: string }
  | { kind: 'door'; path: string; back: boolean }

interface Standing {
  id: string
  x: number
  y: number
}

/** The half width, the height and the lower edge of a hero's picture, in tiles. */
const HERO = { half: 0.75, height: 2, foot: 0.9 } as const

/** The hero at a point; null if there is none. If heroes overlap, the one in front. */
function heroAt(heroes: readonly Standing[], x: number, y: number): Pick | null {
  const at = heroes.filter((h) => {
    const foot = h.y + HERO.foot
    return Math.abs(h.x + 0.5 - x) <= HERO.half && y <= foot && y >= foot - HERO.height
  })
  const front = at.reduce<Standing | null>((a, h) => (a === null || h.y > a.y ? h : a), null)
  return front && { kind: 'hero', id: front.id }
}

/**
 * The hero, the house or the fort at a point of the country, tested in this order; null if there is none. A house
 * includes its roof, which covers the row of tiles above it.
 */
export function pickCountry(
  sites: readonly Site[],
  forts: readonly Fort[],
  heroes: readonly Standing[],
  atX: number,
  atY: number,
): Pick | null {
  const hero = heroAt(heroes, atX, atY)
  if (hero) return hero
  const [x, y] = [Math.floor(atX), Math.floor(atY)]
  const site = sites.find(
    (s) => (x >= s.x && x < s.x + s.width && y >= s.y - 1 && y < s.y + s.height) || (x === s.doorX && y === s.doorY),
  )
  if (site) return { kind: 'site', path: site.path }
  const fort = forts.find((f) => Math.abs(f.x - x) <= 2 && y >= f.y - 3 && y <= f.y + 2)
  return fort ? { kind: 'fort', id: fort.agentId } : null
}

export function pickRoom(room: Room, heroes: readonly Standing[], atX: number, atY: number): Pick | null {
  const hero = heroAt(heroes, atX, atY)
  if (hero) return hero
  const [x, y] = [Math.floor(atX), Math.floor(atY)]
  const door = (room.doors ?? []).find((d) => d.x === x && (d.y === y || d.y + 1 === y))
  if (door) return { kind: 'door', path: door.path, back: door.back ?? false }
  const object = (room.objects ?? []).find((o) => o.x === x && (o.y === y || o.y - 1 === y))
  return object ? { kind: 'object', path: object.path } : null
}
