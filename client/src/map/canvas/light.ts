// Light and shade: a small image with one pixel for each tile, scaled up over a scene, which makes soft edges. It
// is drawn over the scene normally; multiplying the colours would take five times as long without a graphics card.
import { picture, type Pen } from './atlas'
import { cover, type Frame } from './backdrop'
import { TILE } from './terrain'
import { boxOfTiles, type Box } from './view'

/** Red, green, blue and opacity, each from 0 to 255. */
export type Rgba = readonly [number, number, number, number]

export interface Lamp {
  /** The position in tiles. */
  x: number
  y: number
  radius: number
  /** The brightness in the middle, 0 to 1. */
  strength: number
}

/** The maximum number of lamps. Further lamps give no light. */
const MAX = 200

/** Adds the light of lamps to the brightness of tiles, from 0 to 1 each. */
export function shine(lit: Float32Array, width: number, height: number, lamps: readonly Lamp[]): void {
  for (const { x, y, radius, strength } of lamps.slice(0, MAX)) {
    for (let ty = Math.max(0, Math.ceil(y - radius)); ty <= Math.min(height - 1, y + radius); ty++) {
      for (let tx = Math.max(0, Math.ceil(x - radius)); tx <= Math.min(width - 1, x + radius); tx++) {
        const d = Math.hypot(tx - x, ty - y) / radius
        if (d >= 1) continue
        const i = ty * width + tx
        lit[i] = Math.min(1, lit[i]! + strength * (1 - d) * (1 - d * d))
      }
    }
  }
}

/** Changes are recorded in square cells with this side, in tiles. */
const CELL = 8

export class Shade {
  #g: Pen | null = null
  #pixels: ImageData | null = null
  /** The cells that have changed since they were last drawn over a scene, the oldest first. */
  readonly #changed = new Set<number>()

  /**
   * Sets the colour of each tile. A tile has the colour colours[dark[i]] where its light lit[i] is 0, the colour
   * warm where it is 1, and a mixture between. Few tiles change in a call, so only changed tiles are recorded.
   */
  set(width: number, height: number, colours: readonly Rgba[], dark: Uint8Array, lit: Float32Array, warm: Rgba): void {
    this.#g ??= picture(width, height)
    const { canvas } = this.#g
    if (canvas.width !== width || canvas.height !== height || !this.#pixels) {
      canvas.width = width
      canvas.height = height
      this.#pixels = this.#g.createImageData(width, height)
    }
    const words = new Uint32Array(this.#pixels.data.buffer)
    const unlit = new Uint32Array(new Uint8ClampedArray(colours.flat()).buffer)
    const bytes = new Uint8ClampedArray(4)
    const word = new Uint32Array(bytes.buffer)
    for (let i = 0; i < words.length; i++) {
      const part = lit[i]!
      let now = unlit[dark[i]!]!
      if (part > 0) {
        const from = colours[dark[i]!]!
        for (let k = 0; k < 4; k++) bytes[k] = from[k]! + (warm[k]! - from[k]!) * part
        now = word[0]!
      }
      if (now === words[i]) continue
      words[i] = now
      const [x, y] = [i % width, Math.floor(i / width)]
      this.#changed.add(Math.floor(y / CELL) * Math.ceil(width / CELL) + Math.floor(x / CELL))
    }
    this.#g.putImageData(this.#pixels, 0, 0)
  }

  /** Whether some areas have changed and are not drawn over the scene yet. */
  get waits(): boolean {
    return this.#changed.size > 0
  }

  /**
   * Takes changed areas to draw now, in pixels of the map: at least one cell, then more as long as their total area
   * is at most `most`. Cells beside each other are one area.
   */
  take(most: number): Box[] {
    const cells = [...this.#changed].slice(0, Math.max(1, Math.floor(most / (CELL * TILE) ** 2)))
    for (const c of cells) this.#changed.delete(c)
    const columns = Math.ceil((this.#g?.canvas.width ?? 0) / CELL)
    const out: Box[] = []
    for (const c of cells.sort((a, b) => a - b)) {
      const [left, top] = [(c % columns) * CELL, Math.floor(c / columns) * CELL]
      const box = boxOfTiles({ left, right: left + CELL, top, bottom: top + CELL })
      const last = out.at(-1)
      if (last?.top === box.top && last.right === box.left) last.right = box.right
      else out.push(box)
    }
    return out
  }

  /** Draws the shade over the country or room. */
  over(g: Pen, frame: Frame): void {
    if (!this.#g) return
    const { canvas } = this.#g
    g.imageSmoothingEnabled = true
    cover(g, frame, canvas, 0, 0, canvas.width * TILE, canvas.height * TILE)
  }
}
