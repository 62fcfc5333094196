// Copies a text, with a fallback for pages without navigator.clipboard: those loaded over http from an address
// other than loopback (S4-B10).
import { useState } from 'preact/hooks'

/**
 * How long the result of a copy is shown, in milliseconds. After a failure it is shown longer, because the person has
 * to copy by hand.
 */
const DONE_MS = 2_000
const FAILED_MS = 8_000

/** Returns copy, which copies the text, and done: for a moment after a copy whether it succeeded, otherwise null. */
export function useCopy(text: () => string): { done: boolean | null; copy: () => void } {
  const [done, setDone] = useState<boolean | null>(null)
  const copy = () => {
    void copyText(text()).then((ok) => {
      setDone(ok)
      setTimeout(() => setDone(null), ok ? DONE_MS : FAILED_MS)
    })
  }
  return { done, copy }
}

/** Copies a text to the clipboard. Returns whether that succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'visually-hidden'
  const before = document.activeElement
  document.body.append(area)
  area.select()
  let done: boolean
  try {
    done = document.execCommand('copy')
  } catch {
    done = false
  }
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
