// Asks for the list of conversations.
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { useApp } from '../context'

/** Asks when the list is unknown, and each time that it may have changed. */
export function useListed(realm: RealmModel): void {
  const app = useApp()
  const live = app.live.value
  const unknown = realm.moreHeads === null
  const asking = app.pending.value.some((p) => p.frame.type === 'conversation.list')
  useEffect(() => {
    if (live && unknown && !asking) app.conversations.list(false)
  }, [app, live, unknown, asking])
}
