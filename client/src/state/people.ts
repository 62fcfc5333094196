// Which file or room each person looks at. Pure.
import type { Spectator, World } from '../net/protocol.gen'
import type { Model } from './model'

export interface Onlooker {
  id: string
  name: string
  color: string
  /** The folder of the room. */
  room: string
  /** The open file; '' for none. */
  file: string
}

/** The folder and the file at which a person looks; null if they are unknown. */
export function lookingAt(w: Pick<World, 'navigationState'>, s: Spectator): { room: string; file: string } | null {
  if (s.path) return { room: s.path.slice(0, Math.max(0, s.path.lastIndexOf('/'))), file: s.path }
  const room = w.navigationState.agentCurrentPath[s.spectatorId]
  return room === undefined ? null : { room, file: '' }
}

/** The other connected people whose place is known. */
export function onlookers({ realm, spectators, me }: Pick<Model, 'realm' | 'spectators' | 'me'>): Onlooker[] {
  return spectators.list.flatMap((s) => {
    const at = realm && s.spectatorId !== me?.spectatorId ? lookingAt(realm.world, s) : null
    return at ? [{ id: s.spectatorId, name: s.name, color: s.color, ...at }] : []
  })
}
