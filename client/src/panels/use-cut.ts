// Tells whether a text is cut off, so that a button can offer the whole text.
import { useLayoutEffect, useState } from 'preact/hooks'

/** A text counts as whole if its glyphs overflow the box by at most this many CSS pixels. */
const SPILL = 2

/**
 * Whether the box contains a text of class "clamp" that does not fit, or that has the attribute data-more, because
 * there is more than the element contains. This is measured at each render and when the box or such a text changes its
 * size. whole: whether the whole text is shown now; then nothing is measured.
 */
export function useCut(box: { readonly current: HTMLElement | null }, whole: boolean): boolean {
  const [cut, setCut] = useState(false)
  useLayoutEffect(() => {
    const el = box.current
    if (!el || whole) return
    const texts = [...el.querySelectorAll<HTMLElement>('.clamp')]
    const look = () => setCut(texts.some(isCut))
    look()
    if (typeof ResizeObserver === 'undefined') return
    const watch = new ResizeObserver(look)
    for (const e of [el, ...texts]) watch.observe(e)
    return () => watch.disconnect()
  })
  return cut
}

function isCut(e: HTMLElement): boolean {
  if (e.clientHeight === 0) return false // this size of the page does not show it
  return e.dataset['more'] !== undefined || e.scrollHeight > e.clientHeight + SPILL
}
