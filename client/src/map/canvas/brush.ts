// Draws sprites on the screen. At a zoom below 1, each piece is scaled down once and then copied to whole pixels of
// the screen, because scaling takes longer than copying.
import { bitmap, type Atlas, type Pen, type Piece } from './atlas'
import { inWorld } from './backdrop'
import { copyPiece, put, visible, type Sprite } from './sprite'
import type { Box } from './view'

export class Brush {
  readonly #atlas: Atlas
  /**
   * The scaled images of pieces for the current zoom. When the atlas drops a coloured piece, the piece's scaled
   * image is garbage-collected with it.
   */
  #small = new WeakMap<Piece, ImageBitmap>()
  #frame = { zoom: 0, left: 0, top: 0 }
  #copies = false

  constructor(atlas: Atlas) {
    this.#atlas = atlas
  }

  /**
   * Begins a frame. frame: the zoom, and how far the map's upper left corner lies to the left of the screen and above
   * the screen.
   */
  begin(g: Pen, frame: { zoom: number; left: number; top: number }): void {
    const same = frame.zoom === this.#frame.zoom
    if (!same) this.#small = new WeakMap()
    // While the camera zooms, scaled images would be used only once.
    this.#copies = same && frame.zoom < 1
    this.#frame = frame
    inWorld(g, frame)
    if (this.#copies) g.setTransform(1, 0, 0, 1, 0, 0)
  }

  /** Draws the visible sprites in the order of their depths. */
  paint(g: Pen, sprites: readonly Sprite[], seen: Box): void {
    for (const s of visible(this.#atlas, sprites, seen)) this.put(g, s)
  }

  /** Draws one sprite. */
  put(g: Pen, s: Sprite): void {
    put(g, this.#atlas, s, this.#copy)
  }

  /**
   * Draws a piece that few frames need, with its upper left corner at x, y of the map. Does not cache a scaled
   * image.
   */
  piece(g: Pen, p: Piece, x: number, y: number): void {
    const { zoom, left, top } = this.#frame
    if (this.#copies) g.drawImage(p.from, p.x, p.y, p.w, p.h, x * zoom - left, y * zoom - top, p.w * zoom, p.h * zoom)
    else copyPiece(g, p, x, y)
  }

  /** Draws a piece with its upper left corner at x, y of the map. */
  readonly #copy = (g: Pen, p: Piece, x: number, y: number): void => {
    if (!this.#copies) {
      copyPiece(g, p, x, y)
      return
    }
    const { zoom, left, top } = this.#frame
    let small = this.#small.get(p)
    if (!small) {
      small = bitmap(Math.ceil(p.w * zoom), Math.ceil(p.h * zoom), (pen) => {
        pen.imageSmoothingEnabled = true
        pen.scale(zoom, zoom)
        copyPiece(pen, p, 0, 0)
      })
      this.#small.set(p, small)
    }
    g.drawImage(small, Math.round(x * zoom) - left, Math.round(y * zoom) - top)
  }
}
