// Draws heroes: their shadow, their body in their colour, and the lantern's glow. When zoomed out, it draws dots. A
// building in front of a hero hides a part of it.
import { picture, type Atlas, type Pen } from './atlas'
import { NIGHT_STYLE, tint } from './palette'
import { put, type Sprite } from './sprite'
import { TILE } from './terrain'

export interface Hero {
  id: string
  name: string
  color: string
  /** The position in tiles. */
  x: number
  y: number
  frame: string
  moving: boolean
  lit: boolean
}

/** The opacity with which the hidden part of a hero is drawn, 0 to 1. */
const THROUGH = 0.35

/** The radius of a dot and of its dark edge, in pixels of the screen. */
const DOT = 5
const EDGE = 6
/** The maximum number of dots that are kept, one for each colour. */
const DOTS = 256

/** The sprite of a hero. Its feet are on its tile. */
export function heroSprite(h: Hero): Sprite {
  return {
    piece: h.frame,
    x: Math.round((h.x + 0.5) * TILE),
    y: Math.round((h.y + 1) * TILE) - 2,
    tint: tint(h.color),
  }
}

export class Heroes {
  readonly #atlas: Atlas
  #scratch: Pen | null = null
  readonly #dots = new Map<string, Pen>()

  constructor(atlas: Atlas) {
    this.#atlas = atlas
  }

  /** Draws heroes from back to front. before returns the sprites in front of a sprite. */
  paint(g: Pen, heroes: readonly Hero[], before: (s: Sprite) => readonly Sprite[]): void {
    const sprites = heroes.map(heroSprite).sort((a, b) => a.y - b.y)
    for (const s of sprites) put(g, this.#atlas, { piece: 'shadow', x: s.x, y: s.y + 3 })
    for (const s of sprites) {
      const hidden = before(s)
      if (hidden.length === 0) put(g, this.#atlas, s)
      else this.#through(g, s, hidden)
    }
  }

  /** Draws heroes as dots of the same size at every zoom. */
  dots(g: Pen, heroes: readonly Hero[], frame: { zoom: number; left: number; top: number }): void {
    g.save()
    g.setTransform(1, 0, 0, 1, 0, 0)
    for (const h of heroes) {
      const x = Math.round((h.x + 0.5) * TILE * frame.zoom) - frame.left - EDGE
      const y = Math.round((h.y + 0.5) * TILE * frame.zoom) - frame.top - EDGE
      g.drawImage(this.#dot(tint(h.color)).canvas, x, y)
    }
    g.restore()
  }

  /** The cached image of a dot: copying an image takes much less time than drawing two circles. */
  #dot(color: string): Pen {
    const known = this.#dots.get(color)
    if (known) return known
    const g = picture(2 * EDGE, 2 * EDGE)
    for (const [style, radius] of [
      [NIGHT_STYLE, EDGE],
      [color, DOT],
    ] as const) {
      g.fillStyle = style
      g.beginPath()
      g.arc(EDGE, EDGE, radius, 0, 2 * Math.PI)
      g.fill()
    }
    this.#dots.set(color, g)
    if (this.#dots.size > DOTS) this.#dots.delete(this.#dots.keys().next().value!)
    return g
  }

  /** Draws a partly hidden sprite: the whole sprite faintly, and over it the part that nothing hides. */
  #through(g: Pen, s: Sprite, hidden: readonly Sprite[]): void {
    const p = this.#atlas.get(s.piece)
    if (!p) return
    const pen = (this.#scratch ??= picture(64, 64))
    const [left, top] = [Math.round(s.x - p.w / 2), Math.round(s.y - p.h)]
    pen.setTransform(1, 0, 0, 1, 0, 0)
    pen.clearRect(0, 0, 64, 64)
    pen.setTransform(1, 0, 0, 1, -left, -top)
    put(pen, this.#atlas, s)
    pen.globalCompositeOperation = 'destination-out'
    for (const o of hidden) put(pen, this.#atlas, o)
    pen.globalCompositeOperation = 'source-over'
    put(g, this.#atlas, { ...s, alpha: THROUGH })
    g.drawImage(pen.canvas, 0, 0, p.w, p.h, left, top, p.w, p.h)
  }
}
