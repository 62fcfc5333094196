// Whether the card of a turn shows its task. While the card leaves the transcript little space, it folds to its first
// line when the person types or scrolls the transcript, and when the keyboard of a phone opens. The person can unfold
// it, and it then stays so.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLatest } from './use-latest'

/** The height that is enough for a transcript, in pixels. */
const ENOUGH = 240
/** A page that is lower than this beside a text box with the focus has a keyboard below it, in pixels. */
const LOW = 480

/** text: what the person has typed. */
export function useFoldingTask(text: string): { folded: boolean; fold: (on: boolean) => void } {
  const [folded, setFolded] = useState(false)
  const chosen = useRef(false)
  const make = useLatest(() => {
    const height = document.querySelector('.conversation-body .window')?.clientHeight ?? 0
    if (!chosen.current && height > 0 && height < ENOUGH) setFolded(true)
  })
  const before = useRef(text)
  useLayoutEffect(() => {
    if (text !== before.current) make.current()
    before.current = text
  }, [text, make])
  useEffect(() => {
    const read = (e: Event) => {
      if (e.target instanceof Element && e.target.closest('.conversation-body .window')) make.current()
    }
    const keyboard = () => {
      if (innerHeight < LOW && document.activeElement?.closest('.prompt-row')) make.current()
    }
    const kinds = ['wheel', 'touchmove', 'keydown']
    for (const kind of kinds) document.addEventListener(kind, read, { passive: true })
    document.addEventListener('focusin', keyboard)
    addEventListener('resize', keyboard)
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, read)
      document.removeEventListener('focusin', keyboard)
      removeEventListener('resize', keyboard)
    }
  }, [make])
  const fold = (on: boolean) => {
    chosen.current = true
    setFolded(on)
  }
  return { folded, fold }
}
