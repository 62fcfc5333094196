// Where controls of the map lie over the drawing. It observes when they appear, disappear, move or change their
// size.
import type { Box } from './view'

/** The controls that lie over the drawing. */
const CONTROLS = '.minimap, .map-forms, .drawn-tools, .scene-line, .second-scene, .stage-title, .map-card, .happening'

/**
 * The boxes of the visible elements that match the selector `kind`, in CSS pixels from the corner of the element
 * `host`. It also returns them while an open file hides the whole map, because the names must be right when the map
 * is visible again. So it tests the visibility of each element, not of the map.
 */
function boxesOver(host: Element, kind: string): Box[] {
  const { left, top } = host.getBoundingClientRect()
  return [...(host.closest('.map')?.querySelectorAll<HTMLElement>(kind) ?? [])]
    .filter((el) => el.checkVisibility() && el.parentElement?.style.visibility !== 'hidden')
    .map((el) => el.getBoundingClientRect())
    .map((b) => ({ left: b.left - left, right: b.right - left, top: b.top - top, bottom: b.bottom - top }))
}

/** Whether an element is shown: neither it nor what it stands in is hidden, for example by an open file. */
export function isVisible(el: Element): boolean {
  return el.checkVisibility({ visibilityProperty: true })
}

/** The controls that stay where they are while the map shows the country. */
const FIXED = '.minimap, .map-forms, .drawn-tools, .scene-line > button'

export class Covers {
  readonly #host: Element
  readonly #sizes: ResizeObserver
  readonly #parts: MutationObserver

  /** Calls onChange when the area that the controls cover can have changed. */
  constructor(host: Element, onChange: () => void) {
    this.#host = host
    this.#sizes = new ResizeObserver(onChange)
    this.#parts = new MutationObserver(() => {
      this.#observe()
      onChange()
    })
    this.#observe()
  }

  /** The boxes of the controls, in CSS pixels from the corner of the drawing. */
  get controls(): Box[] {
    return boxesOver(this.#host, CONTROLS)
  }

  /** The boxes of the controls that stay where they are, in CSS pixels from the corner of the drawing. */
  get fixed(): Box[] {
    return boxesOver(this.#host, FIXED)
  }

  /** The boxes of the marks of findings, commits and people, in CSS pixels from the corner of the drawing. */
  get marks(): Box[] {
    return boxesOver(this.#host, '.map-mark')
  }

  stop(): void {
    this.#sizes.disconnect()
    this.#parts.disconnect()
  }

  /**
   * Observes whatever can change the area that the controls cover: children of their parents that are added or
   * removed, an open file that hides the map, the class of the game screen, which sets the layout, and the size of
   * each control.
   */
  #observe(): void {
    const map = this.#host.closest('.map')
    for (const part of [map, map?.parentElement, this.#host.parentElement])
      if (part) this.#parts.observe(part, { childList: true })
    const game = this.#host.closest('.game')
    if (game) this.#parts.observe(game, { attributeFilter: ['class'] })
    for (const el of map?.querySelectorAll(CONTROLS) ?? []) this.#sizes.observe(el)
  }
}
