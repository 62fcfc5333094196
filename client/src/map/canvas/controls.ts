// Turns pointer and wheel events on the map into gestures: drag, tap, wheel, pinch, menu. stage.ts moves and zooms the
// map, or selects a thing, in response. A drag may begin on a mark over the map: a mark is a button, and it is clicked
// only if the pointer does not drag.
export interface Gestures {
  pan(dx: number, dy: number): void
  /** The wheel was turned by one step. x, y: the position of the pointer. */
  step(direction: 1 | -1, x: number, y: number): void
  /**
   * Two fingers changed their distance by a factor. x, y: the point between the fingers. After the last change,
   * pinched is called.
   */
  pinch(factor: number, x: number, y: number): void
  pinched(): void
  tap(x: number, y: number): void
  /** A click of the secondary button, or a long touch. */
  menu(x: number, y: number): void
  /** The mouse moved to a point with no button pressed. */
  hover(x: number, y: number): void
  /** The mouse left the map. */
  left(): void
}

/** The maximum distance that the pointer moves during a tap, in CSS pixels. */
const TAP = 6

/** What lies over the map and moves with it. Fingers on a full map hardly find a place without a mark. */
const MARKS = '[data-scenery]'

/**
 * Listens to the events of the element host, and of the marks beside it over the map, and calls g, until the returned
 * function is called. While a drag or a pinch lasts, host has captured its pointers.
 */
export function listen(host: HTMLElement, g: Gestures): () => void {
  const stop = new AbortController()
  const root = host.parentElement ?? host
  const on: On = (type, f, options = {}) => root.addEventListener(type, f, { ...options, signal: stop.signal })
  host.addEventListener('pointerleave', () => g.left(), { signal: stop.signal })
  listenToPointers(host, g, on)
  listenToOthers(host, g, on)
  return () => stop.abort()
}

type On = <K extends keyof HTMLElementEventMap>(
  type: K,
  f: (e: HTMLElementEventMap[K]) => void,
  options?: AddEventListenerOptions,
) => void

function listenToPointers(host: HTMLElement, g: Gestures, on: On): void {
  const down = new Map<number, Point>()
  let travelled = 0
  let apart = 0
  const hold = (e: PointerEvent): void => {
    if (e.isTrusted && !host.hasPointerCapture(e.pointerId)) host.setPointerCapture(e.pointerId)
  }
  on('pointerdown', (e) => {
    const direct = isOn(host, e)
    if (e.button !== 0 || !(direct || isOnMark(e))) return
    if (direct) hold(e)
    down.set(e.pointerId, position(host, e))
    if (down.size === 1) travelled = 0
    else travelled = Infinity
    apart = spread(down)
  })
  on('pointermove', (e) => {
    const was = down.get(e.pointerId)
    const now = position(host, e)
    if (!was) {
      if (e.pointerType === 'mouse' && down.size === 0 && isOn(host, e)) g.hover(now.x, now.y)
      return
    }
    if (e.pointerType === 'mouse' && e.buttons === 0) {
      down.delete(e.pointerId) // it left a mark before it dragged, and its button was released elsewhere
      return
    }
    down.set(e.pointerId, now)
    travelled += Math.abs(now.x - was.x) + Math.abs(now.y - was.y)
    if (travelled >= TAP) hold(e)
    if (down.size >= 2) {
      const wide = spread(down)
      const [a, b] = [...down.values()]
      if (apart > 0 && wide > 0 && a && b) g.pinch(wide / apart, (a.x + b.x) / 2, (a.y + b.y) / 2)
      apart = wide
    } else if (travelled >= TAP) {
      g.pan(now.x - was.x, now.y - was.y)
    }
  })
  const up = (e: PointerEvent): void => {
    if (!down.delete(e.pointerId)) return
    if (down.size === 1) g.pinched()
    if (down.size > 0 || e.type === 'pointercancel' || travelled >= TAP || !isOn(host, e)) return
    const p = position(host, e)
    g.tap(p.x, p.y)
  }
  on('pointerup', up)
  on('pointercancel', up)
}

function listenToOthers(host: HTMLElement, g: Gestures, on: On): void {
  on('contextmenu', (e) => {
    if (!isOn(host, e)) return
    e.preventDefault()
    const p = position(host, e)
    g.menu(p.x, p.y)
  })
  on(
    'wheel',
    (e) => {
      if (!isOn(host, e) && !isOnMark(e)) return
      e.preventDefault()
      const p = position(host, e)
      if (e.deltaY !== 0) g.step(e.deltaY < 0 ? 1 : -1, p.x, p.y)
    },
    { passive: false },
  )
}

interface Point {
  x: number
  y: number
}

function position(host: HTMLElement, e: MouseEvent): Point {
  const box = host.getBoundingClientRect()
  return { x: e.clientX - box.left, y: e.clientY - box.top }
}

function isOn(host: HTMLElement, e: Event): boolean {
  return e.target instanceof Node && host.contains(e.target)
}

function isOnMark(e: Event): boolean {
  return e.target instanceof Element && e.target.closest(MARKS) !== null
}

function spread(down: ReadonlyMap<number, Point>): number {
  const [a, b] = [...down.values()]
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
}
