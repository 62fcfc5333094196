// Asks for the shown room if the page does not have it, or has an outdated one.
import { useEffect } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import type { MapChange } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { roomKey, type RealmModel } from '../state/model'

export interface Asked {
  /** The room; undefined until the page has it. */
  room: MapChange | undefined
  /** The map:room command that waits or was refused. */
  asking: Pending | undefined
  /** Asks again after a refusal. */
  again: () => void
}

/** path: null if no room is shown. */
export function useRoom(realm: RealmModel, path: string | null, page: number): Asked {
  const app = useApp()
  const live = app.live.value
  const room = path === null ? undefined : realm.rooms[roomKey(path, page)]
  const asking = app.pending.value.find(
    (p) => p.frame.type === 'map:room' && p.frame.path === path && (p.frame.page ?? 0) === page,
  )
  const wanted = path !== null && (room === undefined || realm.stale.has(path))
  const idle = asking === undefined
  useEffect(() => {
    if (path !== null && wanted && idle && live) app.send({ type: 'map:room', path, page })
  }, [app, path, page, wanted, idle, live])
  const again = () => {
    if (path === null) return
    if (asking?.status === 'refused') app.discard(asking.requestId)
    app.send({ type: 'map:room', path, page })
  }
  return { room, asking, again }
}
