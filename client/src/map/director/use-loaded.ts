// Holds the director's scene back until its room has arrived: the map draws the previous place until then, so the line
// and the path over the map must say the previous place, too. Asks for the room to which the shown hero walks, so that
// the room is there when the hero is.
import { useRef } from 'preact/hooks'
import { roomKey, type RealmModel } from '../../state/model'
import { folderSet, roomOf } from '../../state/select'
import { useRoom } from '../use-room'
import type { Shot } from './direct'

/** Returns the scene if its room can be drawn or was refused, else the last scene for which that was so. */
export function useLoaded(realm: RealmModel, shot: Shot | null): Shot | null {
  const last = useRef<Shot | null>(null)
  const place = shot?.place ?? null
  const isMissing = (path: string, page: number): boolean => realm.rooms[roomKey(path, page)] === undefined
  const missing = place !== null && isMissing(place.path, place.page)
  const { asking } = useRoom(realm, missing ? place.path : null, place?.page ?? 0)
  const ahead = roomAhead(realm, shot)
  useRoom(realm, ahead !== null && ahead !== place?.path && isMissing(ahead, 0) ? ahead : null, 0)
  if (!missing || asking?.status === 'refused') last.current = shot
  return last.current
}

/** The room to which the shown hero walks; null for none. */
function roomAhead(realm: RealmModel, shot: Shot | null): string | null {
  if (shot?.why.kind !== 'comes') return null
  return roomOf(realm, folderSet(realm.world.mapTree), shot.why.file)
}
