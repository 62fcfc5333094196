// What is at a tile, for a click. Pure.
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

/** The hero at a tile; null if there is none. A hero covers the tile that it stands on and the tile above. */
function heroAt(heroes: readonly Standing[], x: number, y: number): Pick | null {
  const h = heroes.find((h) => Math.round(h.x) === x && (Math.round(h.y) === y || Math.round(h.y) - 1 === y))
  return h ? { kind: 'hero', id: h.id } : null
}

/**
 * What is at a tile of the country: a hero, a house or a fort, in this order; null if nothing is. A roof covers the row
 * of tiles above its house.
 */
export function pickCountry(
  sites: readonly Site[],
  forts: readonly Fort[],
  heroes: readonly Standing[],
  x: number,
  y: number,
): Pick | null {
  const hero = heroAt(heroes, x, y)
  if (hero) return hero
  const site = sites.find(
    (s) => (x >= s.x && x < s.x + s.width && y >= s.y - 1 && y < s.y + s.height) || (x === s.doorX && y === s.doorY),
  )
  if (site) return { kind: 'site', path: site.path }
  const fort = forts.find((f) => Math.abs(f.x - x) <= 2 && y >= f.y - 3 && y <= f.y + 2)
  return fort ? { kind: 'fort', id: fort.agentId } : null
}

export function pickRoom(room: Room, heroes: readonly Standing[], x: number, y: number): Pick | null {
  const hero = heroAt(heroes, x, y)
  if (hero) return hero
  const door = (room.doors ?? []).find((d) => d.x === x && (d.y === y || d.y + 1 === y))
  if (door) return { kind: 'door', path: door.path, back: door.back ?? false }
  const object = (room.objects ?? []).find((o) => o.x === x && (o.y === y || o.y - 1 === y))
  return object ? { kind: 'object', path: object.path } : null
}
