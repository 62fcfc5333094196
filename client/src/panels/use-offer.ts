// An offer to the person who runs the server, which they can close for good in this browser.
import { useState } from 'preact/hooks'
import { isGuest } from '../state/select'
import { useApp } from './context'

/** key: the key in the browser's storage that remembers that the person has closed the offer. */
export function useOffer(key: string): { open: boolean; close: () => void } {
  const app = useApp()
  const [closed, setClosed] = useState(() => app.storage.get(key) !== null)
  const owner = app.host.value && app.model.me !== null && !isGuest(app.model)
  const close = () => {
    app.storage.set(key, 'no')
    setClosed(true)
  }
  return { open: owner && !closed, close }
}
