// Turns pointer and wheel events on the map into gestures: drag, tap, wheel, pinch, menu. stage.ts moves and zooms the
// map, or selects a thing, in response.
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

/** Listens to the events of the element host and calls g, until the returned function is called. */
export function listen(host: HTMLElement, g: Gestures): () => void {
  const down = new Map<number, { x: number; y: number }>()
  let travelled = 0
  let apart = 0
  const stop = new AbortController()
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    f: (e: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => host.addEventListener(type, f, { ...options, signal: stop.signal })
  const at = (e: MouseEvent): { x: number; y: number } => {
    const box = host.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }
  on('pointerdown', (e) => {
    if (e.button !== 0) return
    if (e.isTrusted) host.setPointerCapture(e.pointerId)
    down.set(e.pointerId, at(e))
    if (down.size === 1) travelled = 0
    else travelled = Infinity
    apart = spread(down)
  })
  on('pointermove', (e) => {
    const was = down.get(e.pointerId)
    if (!was) {
      const p = at(e)
      if (e.pointerType === 'mouse' && down.size === 0) g.hover(p.x, p.y)
      return
    }
    const now = at(e)
    down.set(e.pointerId, now)
    travelled += Math.abs(now.x - was.x) + Math.abs(now.y - was.y)
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
    if (down.size > 0 || e.type === 'pointercancel' || travelled >= TAP) return
    const p = at(e)
    g.tap(p.x, p.y)
  }
  on('pointerleave', () => g.left())
  on('pointerup', up)
  on('pointercancel', up)
  on('contextmenu', (e) => {
    e.preventDefault()
    const p = at(e)
    g.menu(p.x, p.y)
  })
  on(
    'wheel',
    (e) => {
      e.preventDefault()
      const p = at(e)
      if (e.deltaY !== 0) g.step(e.deltaY < 0 ? 1 : -1, p.x, p.y)
    },
    { passive: false },
  )
  return () => stop.abort()
}

function spread(down: ReadonlyMap<number, { x: number; y: number }>): number {
  const [a, b] = [...down.values()]
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
}
