// Shows a popover beside an element, and keeps it there whatever moves the element.
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** The distance of the popover from the element and from the edge of the page, in CSS pixels. */
const GAP = 6

/**
 * Opens the popover `box` below the element `near`, or above it if there is no room, and gives its field the focus.
 * Without such an element the popover is at the lower edge of the page. In the end the focus returns to the element.
 */
export function useBeside(box: RefObject<HTMLElement | null>, near: Element | null): void {
  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    el.showPopover?.()
    let frame = 0
    const put = () => {
      place(el, near)
      frame = requestAnimationFrame(put)
    }
    put()
    el.querySelector('input')?.focus()
    return () => {
      cancelAnimationFrame(frame)
      if (near instanceof HTMLElement && near.isConnected && el.contains(document.activeElement)) near.focus()
    }
  }, [box, near])
}

function place(el: HTMLElement, near: Element | null): void {
  const [width, height] = [document.documentElement.clientWidth, innerHeight]
  const lowest = height - el.offsetHeight - GAP
  const at = near?.isConnected ? near.getBoundingClientRect() : new DOMRect(GAP, height, 0, 0)
  const top = at.bottom + GAP <= lowest ? at.bottom + GAP : at.top - GAP - el.offsetHeight
  el.style.top = `${Math.max(GAP, Math.min(top, lowest))}px`
  el.style.left = `${Math.max(GAP, Math.min(at.left, width - el.offsetWidth - GAP))}px`
}
