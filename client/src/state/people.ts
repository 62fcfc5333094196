// Which file or room each person looks at. Pure.
import type { Spectator, World } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { asks, casting, nameOf } from './select'

export interface Onlooker {
  id: string
  name: string
  color: string
  /** The folder of the room. */
  room: string
  /** The open file; '' for none. */
  file: string
}

/** A person who is not connected. */
export interface Away {
  roleId: string
  /** The name of the person, or of the role if the person's is unknown. */
  name: string
  /** When the person left; "" if it is unknown. */
  since: string
}

/**
 * Since when the person is not connected: "" if that is unknown, null if the person is connected or may be. The list of
 * connected people has a maximum length, and after a new connection an old list may be shown for a moment.
 */
export function awaySince({ spectators, me }: Pick<Model, 'spectators' | 'me'>, spectatorId: string): string | null {
  const { list, count, left = [] } = spectators
  const has = (id: string) => list.some((s) => s.spectatorId === id)
  if (has(spectatorId) || count > list.length || (me !== null && !has(me.spectatorId))) return null
  return left.find((l) => l.spectatorId === spectatorId)?.at ?? ''
}

/** The people who have a turn in the process and are not connected. */
export function awayWithTurn(m: Pick<Model, 'spectators' | 'me'>, r: RealmModel): Away[] {
  return asks(r).flatMap(({ roleId }) => {
    const held = casting(r, roleId)
    const since = held?.kind === 'human' && held.spectatorId ? awaySince(m, held.spectatorId) : null
    return since === null ? [] : [{ roleId, name: held?.name || nameOf(r, roleId), since }]
  })
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
