// A long list whose box or rows change their size without the list being drawn.
import { useEffect } from 'preact/hooks'
import { useLatest } from './use-latest'
import type { WindowPlace } from './window-place'

/** Another width breaks lines elsewhere, and a row that streams grows by itself: neither draws the list. */
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
