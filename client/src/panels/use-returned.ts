// Puts a text that the person took back or the server refused into the page's text box again.
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { useApp } from './context'
import { useLatest } from './use-latest'

export function useReturned(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  type: (next: string) => void,
): void {
  const app = useApp()
  const back = app.returned.value
  const now = useLatest({ text, type })
  useEffect(() => {
    if (back === '') return
    app.returned.value = ''
    const { text, type } = now.current
    type(text.trim() === '' ? back : `${text}\n${back}`)
    area.current?.focus()
  }, [app, back, now, area])
}
