// Handles size changes of a long list that happen without a render.
import { useEffect } from 'preact/hooks'
import { useLatest } from './use-latest'
import type { WindowPlace } from './window-place'

/**
 * Observes the size of the list. After each change the list stays at its end, if it was there, and onGrown is
 * called. A new width breaks lines at other places, and a streaming row grows; the list does not render for either.
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
