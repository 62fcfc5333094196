// Caches the still parts of a scene in two images, which cover the screen and a margin around it: the things, and
// the things with light and shade over them. A frame copies the second image to the screen. The first image is
// painted again only when things have changed, or when the camera zooms or leaves the margin; the second image also
// when the light has changed. If the changed area is known, only this area is painted.
import { picture, type Pen } from './atlas'
import type { Camera } from './camera'
import type { Shade } from './light'
import { TILE } from './terrain'
import type { Box } from './view'

/** The part of the screen's width and height that is painted beyond each edge. */
const MARGIN = 0.125

/** The maximum share of the image whose light one frame updates; later frames update the rest. */
const LIT = 1 / 6

/** The area of the map that an image shows, the zoom, and the position of the map in the image. */
export interface Frame {
  seen: Box
  zoom: number
  /**
   * How far the map's upper left corner lies to the left of the image's upper left corner, and how far above, in
   * pixels.
   */
  left: number
  top: number
}

type Paint = (g: Pen, frame: Frame) => void

interface Painted {
  /** A text that identifies the content: it differs whenever paint would draw something different. */
  key: string
  /** The areas that have changed since the last paint, in pixels of the map; null if they are not known. */
  changed: readonly Box[] | null
  paint: Paint
}

export class Backdrop {
  readonly #things = new Layer()
  readonly #lit = new Layer()
  #frame: Frame = { seen: { left: 0, right: 0, top: 0, bottom: 0 }, zoom: 0, left: 0, top: 0 }
  #beyond = ''
  /** The number of paints of the lit image; a part of its key. */
  #painted = 0

  /**
   * Copies the lit image to the screen. beyond: the colour outside of the map. Returns whether a part of the
   * light is still outdated, so that the next frame has to go on.
   */
  show(to: Pen, camera: Camera, beyond: string, things: Painted, light: Shade): boolean {
    const { screen, origin } = camera
    const { zoom } = camera.view
    const margin = { x: Math.round(screen.width * MARGIN), y: Math.round(screen.height * MARGIN) }
    const width = screen.width + 2 * margin.x
    const height = screen.height + 2 * margin.y
    const [left, top] = [origin.x - margin.x, origin.y - margin.y]
    const within = Math.abs(left - this.#frame.left) <= margin.x && Math.abs(top - this.#frame.top) <= margin.y
    if (zoom !== this.#frame.zoom || !within || beyond !== this.#beyond || !this.#things.is(width, height)) {
      this.#beyond = beyond
      const seen = { left: left / zoom, top: top / zoom, right: (left + width) / zoom, bottom: (top + height) / zoom }
      this.#frame = { seen, zoom, left, top }
      this.#things.resize(width, height)
      this.#lit.resize(width, height)
    }
    const again = this.#things.paint(things.key, this.#frame, things.changed, (g) => {
      g.fillStyle = beyond
      g.fillRect(0, 0, width, height)
      things.paint(g, this.#frame)
    })
    const part = light.take(again === null ? Infinity : (LIT * width * height) / zoom ** 2)
    const changed = again && [...again, ...part]
    this.#painted += changed?.length === 0 ? 0 : 1
    this.#lit.paint(`lit ${this.#painted}`, this.#frame, changed, (g) => {
      g.drawImage(this.#things.picture, 0, 0)
      light.over(g, this.#frame)
    })
    to.setTransform(1, 0, 0, 1, 0, 0)
    to.drawImage(this.#lit.picture, this.#frame.left - origin.x, this.#frame.top - origin.y)
    return light.waits
  }
}

/** An opaque image that is painted again when its key changes: the whole image or only the changed boxes. */
class Layer {
  readonly #g = picture(1, 1, false)
  #key = ''

  get picture(): CanvasImageSource {
    return this.#g.canvas
  }

  is(width: number, height: number): boolean {
    return this.#g.canvas.width === width && this.#g.canvas.height === height
  }

  /** Sets the size of the image and drops its key, so that the next paint paints the whole image. */
  resize(width: number, height: number): void {
    this.#key = ''
    if (this.is(width, height)) return
    this.#g.canvas.width = width
    this.#g.canvas.height = height
  }

  /**
   * Paints the image if the key has changed. Returns the boxes that were painted: none if the key is the same, null
   * for the whole image.
   */
  paint(key: string, frame: Frame, changed: readonly Box[] | null, draw: (g: Pen) => void): readonly Box[] | null {
    if (key === this.#key) return []
    const boxes = this.#key === '' ? null : changed
    this.#key = key
    // Each box is drawn by itself, because clipping to a rectangle takes less time than clipping to a path.
    for (const box of boxes ?? [null]) {
      this.#g.save()
      this.#g.setTransform(1, 0, 0, 1, 0, 0)
      if (box) clip(this.#g, frame, box)
      draw(this.#g)
      this.#g.restore()
    }
    return boxes
  }
}

/**
 * Restricts drawing to a box of the map and one tile around it, because smoothing blends colours across the edge.
 */
function clip(g: Pen, frame: Frame, b: Box): void {
  const left = Math.floor((b.left - TILE) * frame.zoom) - frame.left
  const top = Math.floor((b.top - TILE) * frame.zoom) - frame.top
  const right = Math.ceil((b.right + TILE) * frame.zoom) - frame.left
  const bottom = Math.ceil((b.bottom + TILE) * frame.zoom) - frame.top
  g.beginPath()
  g.rect(left, top, right - left, bottom - top)
  g.clip()
}

/** Sets the pen's transformation, so that coordinates are pixels of the map. */
export function inWorld(g: Pen, frame: { zoom: number; left: number; top: number }): void {
  g.setTransform(frame.zoom, 0, 0, frame.zoom, -frame.left, -frame.top)
  g.imageSmoothingEnabled = frame.zoom < 1
}

/**
 * Draws an image over a rectangle of the map. The edges are rounded to whole pixels, so that there is no gap
 * between neighbours.
 */
export function cover(
  g: Pen,
  frame: Frame,
  image: CanvasImageSource,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const left = Math.round(x * frame.zoom) - frame.left
  const top = Math.round(y * frame.zoom) - frame.top
  const right = Math.round((x + width) * frame.zoom) - frame.left
  const bottom = Math.round((y + height) * frame.zoom) - frame.top
  g.setTransform(1, 0, 0, 1, 0, 0)
  g.drawImage(image, left, top, right - left, bottom - top)
}
