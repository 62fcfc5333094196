// Returns what the person at this page has pressed last, by a pointer or by a key.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function usePressed(): RefObject<Element | null> {
  const pressed = useRef<Element>(null)
  useEffect(() => {
    const note = (e: Event) => {
      const at = e.target instanceof Element ? e.target : null
      pressed.current = at?.closest('button, a, input, textarea, select, summary') ?? at
    }
    document.addEventListener('click', note, true)
    document.addEventListener('keydown', note, true)
    return () => {
      document.removeEventListener('click', note, true)
      document.removeEventListener('keydown', note, true)
    }
  }, [])
  return pressed
}
