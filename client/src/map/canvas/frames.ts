// Schedules the frames, by an animation frame or a timer, and records how long they took.

/**
 * How soon the next frame is needed. moving: at once. living: several times a second, for water and flames. still:
 * every two seconds, for what disappears by itself, such as bubbles.
 */
export type Pace = 'moving' | 'living' | 'still'

/** Milliseconds until the next frame. */
const WAIT = { living: 240, still: 2000 } as const

/**
 * While the canvas is hidden and a frame is due, the milliseconds between two checks whether the canvas is visible
 * again.
 */
const LOOK_MS = 240

/** The maximum number of frame times that are kept; the oldest are dropped. */
const SAMPLES = 240

export class Frames {
  readonly #draw: (now: number, ms: number) => Pace
  readonly #visible: () => boolean
  readonly #samples: number[] = []
  readonly #seen = (): void => this.request()
  #last = 0
  #timer = 0
  #raf = 0
  #ended = false

  /**
   * draw: draws a frame; it gets the time and the milliseconds since the last frame, at most 100. visible: whether
   * the canvas can be seen while the page is shown.
   */
  constructor(draw: (now: number, ms: number) => Pace, visible: () => boolean) {
    this.#draw = draw
    this.#visible = visible
    document.addEventListener('visibilitychange', this.#seen)
  }

  /** How long the newest frames took, in milliseconds. */
  get samples(): readonly number[] {
    return this.#samples
  }

  /** Asks for a frame. While the page or the canvas is hidden, no frame is drawn. */
  request(): void {
    if (this.#ended || this.#raf !== 0 || document.hidden) return
    clearTimeout(this.#timer)
    if (!this.#visible()) {
      this.#timer = window.setTimeout(() => this.request(), LOOK_MS)
      return
    }
    this.#next()
  }

  /**
   * Draws at the next animation frame, unless the page is hidden or this was requested already. The visibility of the
   * canvas is tested in the animation frame, where this takes little time, because no styles have changed yet.
   */
  #next(): void {
    if (this.#ended || this.#raf !== 0 || document.hidden) return
    this.#raf = requestAnimationFrame((now) => {
      this.#raf = 0
      if (this.#visible()) this.#frame(now)
      else this.request()
    })
  }

  /** Draws a frame now, before the browser paints the page, unless the page or the canvas is hidden. */
  now(): void {
    if (this.#ended) return
    cancelAnimationFrame(this.#raf)
    this.#raf = 0
    if (document.hidden || !this.#visible()) this.request()
    else this.#frame(performance.now())
  }

  end(): void {
    this.#ended = true
    cancelAnimationFrame(this.#raf)
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#seen)
  }

  #frame(now: number): void {
    clearTimeout(this.#timer)
    const ms = Math.min(100, Math.max(0, now - this.#last))
    this.#last = now
    const began = performance.now()
    const pace = this.#draw(now, ms)
    this.#samples.push(performance.now() - began)
    if (this.#samples.length > SAMPLES) this.#samples.shift()
    if (pace === 'moving') this.#next()
    else this.#timer = window.setTimeout(() => this.#next(), WAIT[pace])
  }
}
