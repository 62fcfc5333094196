// Markdown that is still streaming. Of a long text only the end is shown. The beginning of the shown part moves in
// large steps, so that lines do not jump.
import { useMemo, useRef } from 'preact/hooks'
import { Plain } from '../plain'
import { fenceAfter, read } from './read'
import { Blocks } from './blocks'

/** Of a long text, about one to two times this number of characters are shown. */
const GROWING = 10_000

/**
 * A parse that takes longer than this number of milliseconds makes the page show the text as plain text from then on.
 */
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
