// Whether the map is shown. It can be hidden on a phone only: when the reader hides it, and while the transcript needs
// its room.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useLayout } from './viewport'

/** The storage key that is set while the map is hidden on a phone, by a tap or because a conversation was chosen. */
const MAP_HIDDEN = 'mapHidden'

/**
 * The reason why the transcript has to be visible: 'asked' if the reader writes an answer, 'waits' if the process
 * waits for anything else, '' for none.
 */
export type Need = '' | 'asked' | 'waits'

export function useMapShown(need: Need): [shown: boolean, show: (on: boolean) => void] {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const [hidden, hide] = useState(() => app.storage.get(MAP_HIDDEN) !== null)
  /** Whether the reader wants to see the map in spite of the need. It counts for one need only. */
  const [wanted, want] = useState(false)
  useEffect(() => want(false), [need])
  const show = (on: boolean) => {
    hide(!on)
    want(on)
    if (!phone) return
    if (on) app.storage.remove(MAP_HIDDEN)
    else app.storage.set(MAP_HIDDEN, '1')
  }
  return [!phone || (!hidden && (need === '' || wanted)), show]
}
