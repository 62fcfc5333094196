// Handles size changes of a long list that happen without a render.
import { useEffect } from 'preact/hooks'
import { useLatest } from './use-latest'
import type { WindowPlace } from './window-place'

/**
 * Restores the end of the list and calls onGrown after a size change: a new width breaks lines elsewhere, and a
 * streaming row grows by itself. Neither renders the list.
 */
export function useGrowth(
  box: { readonly current: HTMLDivElement | null },
  list: { readonly current: HTMLDivElement | null },
  place: WindowPlace,
  onGrown: () => void,
): void {
  const grown = useLatest(onGrown)
  useEffect(() => {
    const [el, rows] = [box.current, list.current]
    if (!el || !rows || typeof ResizeObserver === 'undefined') return
    let width = el.clientWidth
    const observer = new ResizeObserver(() => {
      if (el.clientWidth !== width) {
        width = el.clientWidth
        place.forget()
      }
      if (place.atEnd) place.putToEnd(el)
      grown.current()
    })
    observer.observe(el)
    observer.observe(rows)
    return () => observer.disconnect()
  }, [box, list, place, grown])
}
