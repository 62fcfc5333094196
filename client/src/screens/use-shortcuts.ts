// The keys of the whole game screen: Ctrl+K or Cmd+K opens the palette, "?" the list of keys.
import { useLayoutEffect } from 'preact/hooks'
import { useLatest } from '../panels/use-latest'

export type Shortcut = 'palette' | 'keys'

export function useShortcuts(on: (shortcut: Shortcut) => void): void {
  const latest = useLatest(on)
  // A layout effect runs before the browser paints, so no key is lost that is pressed when the screen appears.
  useLayoutEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const shortcut = shortcutOf(e)
      if (shortcut === null || (shortcut === 'keys' && (isTyping(e.target) || document.querySelector('dialog[open]'))))
        return
      e.preventDefault()
      latest.current(shortcut)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [latest])
}

function shortcutOf(e: KeyboardEvent): Shortcut | null {
  if (e.isComposing || e.altKey) return null
  if ((e.ctrlKey || e.metaKey) && !e.shiftKey && e.key.toLowerCase() === 'k') return 'palette'
  return e.key === '?' && !e.ctrlKey && !e.metaKey ? 'keys' : null
}

function isTyping(at: EventTarget | null): boolean {
  return at instanceof HTMLElement && at.closest('input, textarea, select, [contenteditable]') !== null
}
