// Draws heroes: their shadow, their body in their colour, and the lantern's glow. When zoomed out, it draws dots. A
// building in front of a hero hides a part of it.
import { bitmap, type Atlas, type Pen } from './atlas'
import type { Brush } from './brush'
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
/** The maximum number of images of partly hidden heroes that are kept; the oldest are dropped. */
const HIDDEN = 400

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
  readonly #brush: Brush
  readonly #hidden = new Map<string, ImageBitmap>()
  readonly #dots = new Map<string, ImageBitmap>()

  constructor(atlas: Atlas, brush: Brush) {
    this.#atlas = atlas
    this.#brush = brush
  }

  /** Draws heroes from back to front. before returns the sprites in front of a sprite. */
  paint(g: Pen, heroes: readonly Hero[], before: (s: Sprite) => readonly Sprite[]): void {
    const sprites = heroes.map(heroSprite).sort((a, b) => a.y - b.y)
    for (const s of sprites) this.#brush.put(g, { piece: 'shadow', x: s.x, y: s.y + 3 })
    for (const s of sprites) {
      const hidden = before(s)
      if (hidden.length === 0) this.#brush.put(g, s)
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
      g.drawImage(this.#dot(tint(h.color)), x, y)
    }
    g.restore()
  }

  /** The cached image of a dot: copying an image takes much less time than drawing two circles. */
  #dot(color: string): ImageBitmap {
    return kept(this.#dots, DOTS, color, () =>
      bitmap(2 * EDGE, 2 * EDGE, (g) => {
        for (const [style, radius] of [
          [NIGHT_STYLE, EDGE],
          [color, DOT],
        ] as const) {
          g.fillStyle = style
          g.beginPath()
          g.arc(EDGE, EDGE, radius, 0, 2 * Math.PI)
          g.fill()
        }
      }),
    )
  }

  /** Draws a partly hidden sprite: the hidden part faintly. A hero that stands still keeps its image. */
  #through(g: Pen, s: Sprite, hidden: readonly Sprite[]): void {
    const p = this.#atlas.get(s.piece)
    if (!p) return
    const [left, top] = [Math.round(s.x - p.w / 2), Math.round(s.y - p.h)]
    const key = `${s.piece} ${s.tint} ${hidden.map((o) => `${o.piece} ${o.x - s.x} ${o.y - s.y}`).join()}`
    const from = kept(this.#hidden, HIDDEN, key, () =>
      bitmap(p.w, p.h, (pen) => {
        pen.setTransform(1, 0, 0, 1, -left, -top)
        put(pen, this.#atlas, s)
        pen.globalCompositeOperation = 'destination-out'
        for (const o of hidden) put(pen, this.#atlas, o)
        pen.globalCompositeOperation = 'destination-over'
        put(pen, this.#atlas, { ...s, alpha: THROUGH })
      }),
    )
    this.#brush.piece(g, { from, x: 0, y: 0, w: p.w, h: p.h }, left, top)
  }
}

/** The value of a key, made if it is new. Drops the oldest value if there are more than `most`. */
function kept<T>(all: Map<string, T>, most: number, key: string, make: () => T): T {
  const known = all.get(key)
  if (known !== undefined) return known
  const made = make()
  all.set(key, made)
  if (all.size > most) all.delete(all.keys().next().value!)
  return made
}
