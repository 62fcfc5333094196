// Whether the map is shown. It can be hidden on a phone only: when the person hides it, and while the transcript needs
// its space.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useLayout } from './viewport'

/**
 * The storage key that is set while the map is hidden on a phone, by a tap or because another conversation than the
 * process was chosen.
 */
const MAP_HIDDEN = 'mapHidden'

/** Shows or hides the map. If insist is false, the map stays hidden while the transcript needs its space. */
export type ShowMap = (on: boolean, insist?: boolean) => void

/** needed: whether the transcript has to be visible, because it waits for the person. */
export function useMapShown(needed: boolean): [shown: boolean, show: ShowMap] {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const [hidden, hide] = useState(() => app.storage.get(MAP_HIDDEN) !== null)
  /** Whether the person wants to see the map in spite of `needed`. A change of `needed` sets it to false. */
  const [wanted, want] = useState(false)
  useEffect(() => want(false), [needed])
  const show: ShowMap = (on, insist = true) => {
    hide(!on)
    want(on && insist)
    if (!phone) return
    if (on) app.storage.remove(MAP_HIDDEN)
    else app.storage.set(MAP_HIDDEN, '1')
  }
  return [!phone || (!hidden && (!needed || wanted)), show]
}
