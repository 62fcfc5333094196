// Names and speech bubbles over the canvas. They are HTML text, so they are sharp at every zoom. Elements are
// reused.
import { breakable } from './wrap'

export interface Tag {
  id: string
  text: string
  kind: 'site' | 'fort' | 'hero' | 'count' | 'speech' | 'door' | 'object' | 'hovered' | 'marked' | 'part' | 'row'
  /** The anchor: the middle of the element's top edge or, for speech, the middle of its bottom edge. */
  x: number
  y: number
  color?: string
  /** The width at which a bubble wraps, in CSS pixels. */
  width?: number
}

/** An HTML element and the label that it shows. */
interface Shown {
  el: HTMLElement
  kind: string
  text: string
  color: string
  width: number
  at: string
}

/**
 * Updates only the properties that have changed, because each assignment makes the browser lay out and paint again.
 */
function update(shown: Shown, { kind, text, color = '', width = 0, x, y }: Tag): void {
  const { el } = shown
  const at = `translate(${Math.round(x)}px, ${Math.round(y)}px) translate(-50%, ${kind === 'speech' ? '-100%' : '0'})`
  if (shown.kind !== kind) el.className = `tag tag-${kind}`
  if (shown.text !== text) write(el, text, kind)
  if (shown.color !== color) el.style.setProperty('--member', color)
  if (shown.width !== width) el.style.maxWidth = width > 0 ? `${width}px` : ''
  if (shown.at !== at) el.style.transform = at
  Object.assign(shown, { kind, text, color, width, at })
}

/** Sets the text of a label. In a bubble, whose text wraps, a long word gets points at which it can break. */
function write(el: HTMLElement, text: string, kind: Tag['kind']): void {
  if (kind !== 'speech') return void (el.textContent = text)
  const parts = breakable(text).flatMap((part, i) => (i === 0 ? [part] : [document.createElement('wbr'), part]))
  el.replaceChildren(...parts)
}

export class Overlay {
  readonly #host: HTMLElement
  readonly #tags = new Map<string, Shown>()

  constructor(host: HTMLElement) {
    this.#host = host
  }

  show(tags: readonly Tag[]): void {
    const here = new Set<string>()
    for (const t of tags) {
      here.add(t.id)
      let shown = this.#tags.get(t.id)
      if (!shown) {
        shown = { el: document.createElement('span'), kind: '', text: '', color: '', width: 0, at: '' }
        this.#host.append(shown.el)
        this.#tags.set(t.id, shown)
      }
      update(shown, t)
    }
    for (const [id, { el }] of this.#tags) {
      if (here.has(id)) continue
      el.remove()
      this.#tags.delete(id)
    }
  }

  clear(): void {
    this.show([])
  }
}
