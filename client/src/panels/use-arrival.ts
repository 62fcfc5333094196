// Moves the focus into the text box of a conversation after the person has started it or has chosen to answer in
// it.
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { useApp } from './context'
import { isTouchDevice } from './grow'

/** Does nothing on a touch device, where the focus would open a keyboard over the conversation. */
export function useArrival(area: RefObject<HTMLElement | null>): void {
  const app = useApp()
  const entering = app.conversations.focusComposer.value
  // An element behind a dialog cannot take the focus, and the question for a name has it first.
  const covered = app.dialog.value !== null || app.conversations.starting.value !== null || app.naming.value
  useEffect(() => {
    if (!entering || covered) return
    app.conversations.focusComposer.value = false
    if (!isTouchDevice()) area.current?.focus()
  }, [app, area, entering, covered])
}
