// The texture atlas. Its pieces are drawn as sprites, or into canvases that become one texture each, such as chunks of
// ground and floors of rooms.
import type * as Phaser from 'phaser'

export const ATLAS = 'atlas'

/** Draws pieces of the atlas into a canvas. */
export class Brush {
  readonly #image: CanvasImageSource
  readonly #texture: Phaser.Textures.Texture

  constructor(scene: Phaser.Scene) {
    this.#texture = scene.textures.get(ATLAS)
    this.#image = this.#texture.getSourceImage() as CanvasImageSource
  }

  has(piece: string): boolean {
    return this.#texture.has(piece)
  }

  /** Draws a piece with its lower left corner at x, y. */
  standing(g: CanvasRenderingContext2D, piece: string, x: number, y: number): void {
    if (!this.has(piece)) return
    const f = this.#texture.get(piece)
    g.drawImage(this.#image, f.cutX, f.cutY, f.cutWidth, f.cutHeight, x, y - f.cutHeight, f.cutWidth, f.cutHeight)
  }

  /** Draws a piece with its upper left corner at x, y. */
  flat(g: CanvasRenderingContext2D, piece: string, x: number, y: number): void {
    if (!this.has(piece)) return
    const f = this.#texture.get(piece)
    g.drawImage(this.#image, f.cutX, f.cutY, f.cutWidth, f.cutHeight, x, y, f.cutWidth, f.cutHeight)
  }
}

/** A canvas that is a texture. After drawing into it, refresh() uploads it. */
export function canvasTexture(
  scene: Phaser.Scene,
  key: string,
  width: number,
  height: number,
): Phaser.Textures.CanvasTexture {
  if (scene.textures.exists(key)) scene.textures.remove(key)
  const texture = scene.textures.createCanvas(key, width, height)
  if (!texture) throw new Error(`no canvas for ${key}`)
  return texture
}
