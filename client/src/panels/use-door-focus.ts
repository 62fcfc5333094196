// Moves the focus when the question that has it ends, on this page or elsewhere. The focus moves to the first open
// question of the list, so that a person can answer all questions by keys, or else to the line that says how the
// question ended. It moves to the question and not to its first button, because a second press of the key would
// otherwise answer a question that nobody has read.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** list: the element with the questions. open: the ids of the open questions. */
export function useDoorFocus(list: RefObject<HTMLElement | null>, open: readonly string[]): void {
  const last = useRef('')
  useEffect(() => {
    const note = (e: FocusEvent) => {
      const at = e.target instanceof Element ? e.target.closest<HTMLElement>('[data-door], [data-over]') : null
      last.current = at && list.current?.contains(at) ? (at.dataset.door ?? at.dataset.over ?? '') : ''
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [list])
  useEffect(() => {
    const id = last.current
    if (id === '' || open.includes(id)) return
    const active = document.activeElement
    if (active !== null && active !== document.body) return
    const at = list.current?.querySelector<HTMLElement>('[data-door]') ?? overOf(list.current, id)
    at?.focus()
  })
}

function overOf(list: HTMLElement | null, id: string): HTMLElement | null {
  return [...(list?.querySelectorAll<HTMLElement>('[data-over]') ?? [])].find((e) => e.dataset.over === id) ?? null
}
