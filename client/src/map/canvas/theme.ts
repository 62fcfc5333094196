// Chooses the tones of the drawing by the page's theme and the time of day. It returns the same object until the
// tones change.
import { tonesAt, type Tones } from './palette'

/** How long the tones are valid before the theme and the clock are checked again, in milliseconds. */
const KEPT_MS = 1000
/** The tones change in steps of this length, in hours. */
const STEP = 1 / 6

export class Theme {
  readonly #host: HTMLElement
  #tones: Tones | null = null
  #key = ''
  #asked = -Infinity

  constructor(host: HTMLElement) {
    this.#host = host
  }

  /** Makes the next call of tones check the theme again. */
  forget(): void {
    this.#asked = -Infinity
  }

  /** The tones at a time of the page's clock. */
  tones(now: number): Tones {
    if (this.#tones && now - this.#asked < KEPT_MS) return this.#tones
    this.#asked = now
    const date = new Date()
    const hour = Math.floor((date.getHours() + date.getMinutes() / 60) / STEP) * STEP
    const light = isDark(getComputedStyle(this.#host).color)
    const key = `${light} ${hour}`
    if (!this.#tones || key !== this.#key) this.#tones = tonesAt(light, hour)
    this.#key = key
    return this.#tones
  }
}

/** Whether a computed CSS colour is dark. The text of a light page is dark. */
export function isDark(color: string): boolean {
  const [r = 255, g = 255, b = 255] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return r * 0.3 + g * 0.6 + b * 0.1 < 128
}
