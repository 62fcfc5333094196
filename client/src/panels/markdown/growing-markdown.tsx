// A text that still grows: its end, in steps so large that what stands there stays where it is.
import { useMemo, useRef } from 'preact/hooks'
import { Plain } from '../plain'
import { fenceAfter, read } from './read'
import { Blocks } from './blocks'

/** What is shown of a text that still grows: between one and two of these. */
const GROWING = 10_000

/** A text that took longer to read than this, in milliseconds, is not read again at each word. */
const SLOW_MS = 24

export function GrowingMarkdown({ text }: { text: string }) {
  const slow = useRef(false)
  const from = text.length > 2 * GROWING ? text.indexOf('\n', Math.floor(text.length / GROWING - 1) * GROWING) + 1 : 0
  const before = text.slice(0, from)
  const fence = useMemo(() => fenceAfter(before), [before])
  const shown = fence === '' ? text.slice(from) : `${fence}\n${text.slice(from)}`
  const blocks = useMemo(() => {
    if (slow.current) return null
    const began = performance.now()
    const list = read(shown)
    slow.current = performance.now() - began > SLOW_MS
    return list
  }, [shown])
  return (
    <>
      {from > 0 && <p class="quiet">…</p>}
      {blocks ? <Blocks blocks={blocks} /> : <Plain text={shown} />}
    </>
  )
}
