// Shows two lines of a text, and the whole text after a click, so that the head of the conversation stays small.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { words } from '../../words'

export function TwoLines({ of, children }: { of: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const [cut, setCut] = useState(false)
  const [whole, setWhole] = useState(false)
  useLayoutEffect(() => setWhole(false), [of])
  useLayoutEffect(() => {
    const e = box.current
    if (!e || whole) return
    const look = () => setCut(e.scrollHeight > e.clientHeight + 2) // glyphs may overflow by a pixel
    look()
    if (typeof ResizeObserver === 'undefined') return
    const watch = new ResizeObserver(look)
    watch.observe(e)
    return () => watch.disconnect()
  }, [whole, of])
  return (
    <div class="two-lines">
      <div ref={box} class={whole ? undefined : 'cut-lines'}>
        {children}
      </div>
      {(cut || whole) && (
        <button
          type="button"
          class="link"
          aria-expanded={whole}
          data-testid="standing-more"
          onClick={() => setWhole(!whole)}
        >
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}
