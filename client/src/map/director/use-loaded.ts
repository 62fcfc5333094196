// Holds the director's scene back until its room has arrived: the map draws the previous place until then, so the line
// and the path over the map must say the previous place, too.
import { useRef } from 'preact/hooks'
import { roomKey, type RealmModel } from '../../state/model'
import { useRoom } from '../use-room'
import type { Shot } from './direct'

/** Returns the scene if its room can be drawn or was refused, else the last scene for which that was so. */
export function useLoaded(realm: RealmModel, shot: Shot | null): Shot | null {
  const last = useRef<Shot | null>(null)
  const place = shot?.place ?? null
  const missing = place !== null && realm.rooms[roomKey(place.path, place.page)] === undefined
  const { asking } = useRoom(realm, missing ? place.path : null, place?.page ?? 0)
  if (!missing || asking?.status === 'refused') last.current = shot
  return last.current
}
