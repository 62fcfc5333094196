// Tells the server which file the person looks at (P19.5), again after each connection.
import { useEffect } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'

/** How long a file and a line must stay the same before the page tells the server about them, in milliseconds. */
const SETTLE_MS = 400

export function useLooking(path: string, line: number): void {
  const app = useApp()
  const known = useSelect(() => app.live.value && app.model.me !== null, [app])
  useEffect(() => {
    if (!known) return
    const soon = setTimeout(() => say(path, line), SETTLE_MS)
    return () => clearTimeout(soon)
    function say(of: string, at: number): void {
      app.send({ type: 'file:open', path: of, ...(at > 0 ? { line: at } : {}) })
    }
  }, [app, known, path, line])
  useEffect(() => {
    if (!known) return
    return () => {
      if (app.live.peek()) app.send({ type: 'file:open', path: '' })
    }
  }, [app, known])
}
