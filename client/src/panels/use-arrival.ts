// Moves the focus into a box for text after the person has begun, or wants to answer in, its conversation.
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { useApp } from './context'
import { isTouchDevice } from './grow'

/** On a touch device the focus would open a keyboard over the conversation, so there it is not moved. */
export function useArrival(area: RefObject<HTMLElement | null>): void {
  const app = useApp()
  const entering = app.conversations.focusComposer.value
  const covered = app.dialog.value !== null // behind a dialog nothing can take the focus
  useEffect(() => {
    if (!entering || covered) return
    app.conversations.focusComposer.value = false
    if (!isTouchDevice()) area.current?.focus()
  }, [app, area, entering, covered])
}
