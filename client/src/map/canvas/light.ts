// Light and shade: one small picture, a pixel for each tile, that is laid over a scene. Its scaling makes soft edges.
// It owns that picture. It is laid over and not multiplied, which takes five times as long without a graphics card.
import { picture, type Pen } from './atlas'
import { cover, type Frame } from './backdrop'
import { TILE } from './terrain'

/** Red, green, blue and opacity, 0 to 255 each. */
export type Rgba = readonly [number, number, number, number]

export interface Lamp {
  /** In tiles. */
  x: number
  y: number
  radius: number
  /** 0 to 1. */
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

export class Shade {
  #g: Pen | null = null
  #pixels: ImageData | null = null

  /** Sets the colour of each tile: dark where its light is 0, warm where it is 1. */
  set(width: number, height: number, dark: (i: number) => Rgba, lit: Float32Array, warm: Rgba): void {
    this.#g ??= picture(width, height)
    const { canvas } = this.#g
    if (canvas.width !== width || canvas.height !== height || !this.#pixels) {
      canvas.width = width
      canvas.height = height
      this.#pixels = this.#g.createImageData(width, height)
    }
    const { data } = this.#pixels
    for (let i = 0; i < width * height; i++) {
      const from = dark(i)
      const part = lit[i]!
      for (let k = 0; k < 4; k++) data[i * 4 + k] = from[k]! + (warm[k]! - from[k]!) * part
    }
    this.#g.putImageData(this.#pixels, 0, 0)
  }

  /** Lays the shade over what is drawn. */
  over(g: Pen, frame: Frame): void {
    if (!this.#g) return
    const { canvas } = this.#g
    g.imageSmoothingEnabled = true
    cover(g, frame, canvas, 0, 0, canvas.width * TILE, canvas.height * TILE)
  }
}
