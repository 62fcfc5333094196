// Asks for the list of conversations.
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { useApp } from '../context'

/** Asks for the list when the page does not have it, and each time that the page learns that its list is outdated. */
export function useListed(realm: RealmModel): void {
  const app = useApp()
  const live = app.live.value
  const unknown = realm.moreHeads === null
  const asking = app.pending.value.some((p) => p.frame.type === 'conversation.list')
  useEffect(() => {
    if (live && unknown && !asking) app.conversations.list(false)
  }, [app, live, unknown, asking])
}
