// Draws heroes: their shadow, and their body with the cloth in their colour. A building in front of a hero hides a part
// of it.
import { picture, SHADOW_BELOW, type Atlas, type Pen, type Piece } from './atlas'
import type { Brush } from './brush'
import { tint } from './palette'
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
  /** Whether the agent's last test run failed. */
  failed?: boolean
}

/** The opacity with which the hidden part of a hero is drawn, 0 to 1. */
const THROUGH = 0.35

/**
 * Partly hidden heroes are drawn on one image, the sheet, each in a square of its own. SPACE: the side of a square
 * in pixels. ROW: the number of squares in a row.
 */
const SPACE = 32
const ROW = 16

/** The marks over heroes whose last test run failed. */
function failedMarks(heroes: readonly Hero[]): Sprite[] {
  return heroes
    .filter((h) => h.failed)
    .map((h) => {
      const { x, y } = heroSprite(h)
      return { piece: 'mark.tests-failed', x: x + 9, y: y - 22 }
    })
}

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
  #sheet: Pen | null = null

  constructor(atlas: Atlas, brush: Brush) {
    this.#atlas = atlas
    this.#brush = brush
  }

  /** Draws heroes from back to front. before returns the sprites in front of a sprite. */
  paint(g: Pen, heroes: readonly Hero[], before: (s: Sprite) => readonly Sprite[]): void {
    const sprites = heroes.map(heroSprite).sort((a, b) => a.y - b.y)
    const hidden = this.#hide(sprites, before)
    for (const s of hidden.keys()) this.#brush.put(g, { piece: 'shadow', x: s.x, y: s.y + SHADOW_BELOW })
    for (const s of sprites) {
      const part = hidden.get(s)
      // One image with body and shadow, because copying two takes twice as long.
      if (!part) this.#brush.put(g, { ...s, shaded: true })
      else this.#brush.piece(g, part, Math.round(s.x - part.w / 2), Math.round(s.y - part.h))
    }
    for (const s of failedMarks(heroes)) this.#brush.put(g, s)
  }

  /**
   * Draws the partly hidden sprites, their hidden parts faintly, on one sheet, which the browser then paints only once.
   * Returns the part of the sheet for each of these sprites.
   */
  #hide(sprites: readonly Sprite[], before: (s: Sprite) => readonly Sprite[]): Map<Sprite, Piece> {
    const out = new Map<Sprite, Piece>()
    const found = sprites.map((s) => ({ s, p: this.#atlas.get(s.piece), hiding: before(s) }))
    const hidden = found.filter(({ p, hiding }) => p && hiding.length > 0)
    if (hidden.length === 0) return out
    const pen = this.#blank(Math.ceil(hidden.length / ROW))
    hidden.forEach(({ s, p, hiding }, i) => {
      const { w, h } = p!
      const at = { x: (i % ROW) * SPACE, y: Math.floor(i / ROW) * SPACE, w, h }
      pen.save()
      pen.beginPath()
      pen.rect(at.x, at.y, w, h)
      pen.clip()
      pen.translate(at.x - Math.round(s.x - w / 2), at.y - Math.round(s.y - h))
      put(pen, this.#atlas, s)
      pen.globalCompositeOperation = 'destination-out'
      for (const o of hiding) put(pen, this.#atlas, o)
      pen.globalCompositeOperation = 'destination-over'
      put(pen, this.#atlas, { ...s, alpha: THROUGH })
      pen.restore()
      out.set(s, { from: pen.canvas, ...at })
    })
    return out
  }

  /** The empty sheet with at least this many rows. */
  #blank(rows: number): Pen {
    const { width, height } = { width: ROW * SPACE, height: rows * SPACE }
    if (!this.#sheet || this.#sheet.canvas.height < height) return (this.#sheet = picture(width, height))
    this.#sheet.clearRect(0, 0, width, this.#sheet.canvas.height)
    return this.#sheet
  }
}
