// Whether the map is shown. It can be hidden on a phone only: when the reader hides it, and while the reader writes
// an answer.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useLayout } from './layout'

/** The storage key that is set while the map is hidden on a phone, by a tap or because a conversation was chosen. */
const MAP_HIDDEN = 'mapHidden'

/** answering: whether the reader writes an answer, for which the transcript has to be visible. */
export function useMapShown(answering: boolean): [shown: boolean, show: (on: boolean) => void] {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const [hidden, hide] = useState(() => app.storage.get(MAP_HIDDEN) !== null)
  /** Whether the reader wants to see the map while writing an answer. */
  const [wanted, want] = useState(false)
  useEffect(() => {
    if (!answering) want(false)
  }, [answering])
  const show = (on: boolean) => {
    hide(!on)
    want(on)
    if (!phone) return
    if (on) app.storage.remove(MAP_HIDDEN)
    else app.storage.set(MAP_HIDDEN, '1')
  }
  return [!phone || (!hidden && (!answering || wanted)), show]
}
