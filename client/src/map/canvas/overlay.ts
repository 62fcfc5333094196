// Names and speech bubbles over the canvas, as text of the page, so that they are sharp at every zoom. Elements are
// reused.
import type { Box } from './view'

export interface Tag {
  id: string
  text: string
  kind: 'site' | 'fort' | 'hero' | 'count' | 'speech' | 'door' | 'object' | 'hovered' | 'part' | 'row'
  /** The anchor: the middle of the element's top edge or, for speech, the middle of its bottom edge. */
  x: number
  y: number
  color?: string
}

/** What lies over the drawing. */
const CONTROLS = '.minimap, .map-forms, .drawn-tools, .scene-line, .map-mark'

export class Overlay {
  readonly #host: HTMLElement
  readonly #tags = new Map<string, HTMLElement>()

  constructor(host: HTMLElement) {
    this.#host = host
  }

  show(tags: readonly Tag[]): void {
    const here = new Set<string>()
    for (const t of tags) {
      here.add(t.id)
      let el = this.#tags.get(t.id)
      if (!el) {
        el = document.createElement('span')
        this.#host.append(el)
        this.#tags.set(t.id, el)
      }
      const name = `tag tag-${t.kind}`
      if (el.className !== name) el.className = name
      if (el.textContent !== t.text) el.textContent = t.text
      if (t.color) el.style.setProperty('--member', t.color)
      const up = t.kind === 'speech' ? '-100%' : '0'
      el.style.transform = `translate(${Math.round(t.x)}px, ${Math.round(t.y)}px) translate(-50%, ${up})`
    }
    for (const [id, el] of this.#tags) {
      if (here.has(id)) continue
      el.remove()
      this.#tags.delete(id)
    }
  }

  /** What controls and marks of the map cover, in pixels of the host. */
  get taken(): Box[] {
    const over = [...(this.#host.closest('.map')?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])]
    const { left, top } = this.#host.getBoundingClientRect()
    return over
      .filter((el) => el.checkVisibility({ visibilityProperty: true }))
      .map((el) => el.getBoundingClientRect())
      .map((b) => ({ left: b.left - left, right: b.right - left, top: b.top - top, bottom: b.bottom - top }))
  }

  clear(): void {
    this.show([])
  }
}
