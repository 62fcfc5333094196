// Whether the person has closed the result of a process. This browser remembers it, so that a reload does not bring the
// result back.
import { useState } from 'preact/hooks'
import type { SafeStorage } from '../identity/storage'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'

/** The storage key for a realm. Its value is the id of the process whose result the person closed last. */
const keyOf = (realmId: string) => `resultRead.${realmId}`

/** Closes the result of the realm's completed process, for a person who comes for something else. */
export function closeResult(storage: SafeStorage, { id, world: { processState } }: RealmModel): void {
  if (processState.status === 'completed') storage.set(keyOf(id), processState.conversationId)
}

export function useResultRead(realmId: string, processId: string): [read: boolean, set: (on: boolean) => void] {
  const { storage } = useApp()
  const [, draw] = useState({})
  const set = (on: boolean) => {
    if (on) storage.set(keyOf(realmId), processId)
    else storage.remove(keyOf(realmId))
    draw({})
  }
  return [storage.get(keyOf(realmId)) === processId, set]
}
