// Whether the map is in sight. Only on a phone something lies over it: there the reader hides it, or an answer that is
// written does.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useLayout } from './layout'

/** What the browser keeps while the map of a phone is hidden: by a tap, or because a conversation came forth. */
const MAP_HIDDEN = 'mapHidden'

/** answering: the reader writes an answer, which wants the talk in sight. */
export function useMapShown(answering: boolean): [shown: boolean, show: (on: boolean) => void] {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const [hidden, hide] = useState(() => app.shelf.get(MAP_HIDDEN) !== null)
  /** Somebody who is to answer looks at the map all the same. */
  const [wanted, want] = useState(false)
  useEffect(() => {
    if (!answering) want(false)
  }, [answering])
  const show = (on: boolean) => {
    hide(!on)
    want(on)
    if (!phone) return
    if (on) app.shelf.remove(MAP_HIDDEN)
    else app.shelf.set(MAP_HIDDEN, '1')
  }
  return [!phone || (!hidden && (!answering || wanted)), show]
}
