// Asks for the list of conversations where it is not known.
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { useApp } from '../context'

/** The list is asked for when it is not known, and after each time that it may have changed out of sight. */
export function useListed(realm: RealmModel): void {
  const app = useApp()
  const live = app.live.value
  const unknown = realm.moreHeads === null
  const asking = app.pending.value.some((p) => p.frame.type === 'conversation.list')
  useEffect(() => {
    if (live && unknown && !asking) app.talks.list(false)
  }, [app, live, unknown, asking])
}
