// The parts of rooms that the page has loaded, and the changes on disk that make them outdated. Pure.
import type { MapChange, MapChanged } from '../net/protocol.gen'
import { MAX_CHANGES, MAX_ROOMS, roomKey, type RealmModel } from './model'

export function endPlace(places: RealmModel['places'], id: string): RealmModel['places'] {
  if (!(id in places)) return places
  const { [id]: _, ...rest } = places
  return rest
}

export function keepRoom(r: RealmModel, f: MapChange): RealmModel {
  return { ...r, rooms: keepRooms(r.rooms, [f]), stale: withoutPaths(r.stale, [f.path]) }
}

/** Adds pages of rooms and drops the oldest pages beyond MAX_ROOMS. */
export function keepRooms(rooms: RealmModel['rooms'], more: readonly MapChange[]): RealmModel['rooms'] {
  let kept = rooms
  for (const f of more) {
    const key = roomKey(f.path, f.page)
    const others = Object.entries(kept).filter(([k]) => k !== key)
    kept = { ...Object.fromEntries(others.slice(-(MAX_ROOMS - 1))), [key]: f }
  }
  return kept
}

export const everyRoom = (r: RealmModel): ReadonlySet<string> =>
  new Set(Object.values(r.rooms).map((room) => room.path))

export function withoutPaths(stale: ReadonlySet<string>, paths: readonly string[]): ReadonlySet<string> {
  return paths.some((p) => stale.has(p)) ? new Set([...stale].filter((p) => !paths.includes(p))) : stale
}

/**
 * Applies a change on disk. The page marks changed rooms as stale and shows them until the server has sent them again.
 */
export function changedOnDisk(r: RealmModel, f: MapChanged): RealmModel {
  if (f.generation <= r.mapGeneration) return r
  const known = everyRoom(r)
  const changed = f.all ? known : new Set([...r.stale, ...(f.folders ?? []).filter((p) => known.has(p))])
  return {
    ...r,
    mapGeneration: f.generation,
    world: { ...r.world, map: f.map, mapTree: f.mapTree ?? r.world.mapTree, country: f.country ?? r.world.country },
    stale: changed,
    changes: f.changes?.length ? [...r.changes, ...f.changes].slice(-MAX_CHANGES) : r.changes,
    moment: f.moment ? f : r.moment,
  }
}
