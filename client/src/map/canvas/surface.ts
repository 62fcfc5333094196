// The canvas element and its size in pixels of the screen. It observes changes of the size.
import type { Pen } from './atlas'
import type { Size } from './view'

export class Surface {
  readonly #host: HTMLElement
  readonly #observer: ResizeObserver
  readonly #g: CanvasRenderingContext2D
  #size: Size = { width: 0, height: 0 }
  #ratio = 1

  /**
   * Puts a canvas into the element host. onResize is called before the browser paints the new size and must draw a
   * frame, because a canvas is empty after a change of its size.
   */
  constructor(host: HTMLElement, onResize: () => void) {
    this.#host = host
    const canvas = document.createElement('canvas')
    const g = canvas.getContext('2d', { alpha: false })
    if (!g) throw new Error('no 2D context')
    this.#g = g
    this.#observer = new ResizeObserver(() => {
      if (this.#measure()) onResize()
    })
    this.#measure()
    host.append(canvas)
    this.#observer.observe(host)
  }

  get pen(): Pen {
    return this.#g
  }

  /** The size in pixels of the screen; 0 while the element around the canvas is hidden. */
  get size(): Size {
    return this.#size
  }

  /** The size in CSS pixels. */
  get css(): Size {
    return { width: this.#size.width / this.#ratio, height: this.#size.height / this.#ratio }
  }

  /** The number of pixels of the screen for one CSS pixel. */
  get ratio(): number {
    return this.#ratio
  }

  remove(): void {
    this.#observer.disconnect()
    this.#g.canvas.remove()
  }

  /** Sets the size of the canvas. Returns whether it has changed; then the canvas is empty. */
  #measure(): boolean {
    const ratio = Math.min(3, Math.max(1, globalThis.devicePixelRatio || 1))
    const { clientWidth: w, clientHeight: h } = this.#host
    const size = { width: Math.round(w * ratio), height: Math.round(h * ratio) }
    if (size.width === this.#size.width && size.height === this.#size.height && ratio === this.#ratio) return false
    this.#size = size
    this.#ratio = ratio
    if (w === 0 || h === 0) return false
    const { canvas } = this.#g
    canvas.width = size.width
    canvas.height = size.height
    canvas.style.width = `${w}px`
    canvas.style.height = `${h}px`
    return true
  }
}
