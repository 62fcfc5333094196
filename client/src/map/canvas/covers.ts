// What lies over the drawing: the controls of the map, and when they come, go, move or change their size. It owns the
// observers.
import type { Box } from './view'

/** The controls that lie over the drawing. */
const CONTROLS = '.minimap, .map-forms, .drawn-tools, .scene-line, .map-card, .happening'

/**
 * Where the elements of a kind are in the map around the host, in pixels of the page from the host's corner. The map
 * can be hidden below a file: its names have to be right when it is seen again, so hidden is only who is so by itself.
 */
function boxesOver(host: Element, kind: string): Box[] {
  const { left, top } = host.getBoundingClientRect()
  return [...(host.closest('.map')?.querySelectorAll<HTMLElement>(kind) ?? [])]
    .filter((el) => el.checkVisibility() && el.parentElement?.style.visibility !== 'hidden')
    .map((el) => el.getBoundingClientRect())
    .map((b) => ({ left: b.left - left, right: b.right - left, top: b.top - top, bottom: b.bottom - top }))
}

export class Covers {
  readonly #host: Element
  readonly #sizes: ResizeObserver
  readonly #parts: MutationObserver

  /** Calls onChange when what the controls cover can have changed. */
  constructor(host: Element, onChange: () => void) {
    this.#host = host
    this.#sizes = new ResizeObserver(onChange)
    this.#parts = new MutationObserver(() => {
      this.#observe()
      onChange()
    })
    this.#observe()
  }

  /** Where the controls are, in pixels of the page from the host's corner. */
  get controls(): Box[] {
    return boxesOver(this.#host, CONTROLS)
  }

  /** Where the marks are, likewise. */
  get marks(): Box[] {
    return boxesOver(this.#host, '.map-mark')
  }

  stop(): void {
    this.#sizes.disconnect()
    this.#parts.disconnect()
  }

  /** Controls are children of the map or lie beside the drawing; where they lie depends on the layout of the game. */
  #observe(): void {
    const map = this.#host.closest('.map')
    for (const part of [map, this.#host.parentElement]) if (part) this.#parts.observe(part, { childList: true })
    const game = this.#host.closest('.game')
    if (game) this.#parts.observe(game, { attributeFilter: ['class'] })
    for (const el of map?.querySelectorAll(CONTROLS) ?? []) this.#sizes.observe(el)
  }
}
