// The fog over the country: one texture with a pixel for each tile, scaled up smoothly.
import type * as Phaser from 'phaser'
import type { Site } from '../../net/protocol.gen'
import { COUNTRY_SIDE } from '../../state/grid'
import { canvasTexture } from './atlas'
import { CONTOUR_RGB, NIGHT_RGB } from './palette'
import { lift, NEVER, COVER } from './visibility'
import { TILE } from './terrain'

/** Phaser.Textures.FilterMode.LINEAR */
const LINEAR = 0

export class Fog {
  readonly #texture: Phaser.Textures.CanvasTexture
  readonly #covers = new Float32Array(COUNTRY_SIDE * COUNTRY_SIDE).fill(COVER[NEVER])
  readonly #contour = new Uint8Array(COUNTRY_SIDE * COUNTRY_SIDE)
  #first = true

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer) {
    this.#texture = canvasTexture(scene, 'fog', COUNTRY_SIDE, COUNTRY_SIDE)
    layer.add(scene.add.image(0, 0, 'fog').setOrigin(0).setScale(TILE).setDepth(6000))
  }

  /** Sets the outlines of houses, which are visible even in unexplored land. */
  outline(sites: readonly Site[]): void {
    this.#contour.fill(0)
    for (const s of sites) {
      for (let y = s.y; y < s.y + s.height; y++)
        for (let x = s.x; x < s.x + s.width; x++) this.#contour[y * COUNTRY_SIDE + x] = 1
    }
  }

  /**
   * Moves the opacity of the fog towards the states, as far as it moves in ms milliseconds. still: move it all the way
   * at once, as the first call does. Returns whether the fog has not reached the states yet.
   */
  show(states: Uint8Array, ms: number, still: boolean): boolean {
    const moving = lift(this.#covers, states, this.#first || still ? 1e9 : ms)
    this.#first = false
    const g = this.#texture.context
    const picture = g.createImageData(COUNTRY_SIDE, COUNTRY_SIDE)
    for (let i = 0; i < this.#covers.length; i++) {
      const [r, gr, b] = this.#contour[i] && this.#covers[i]! > 180 ? CONTOUR_RGB : NIGHT_RGB
      picture.data[i * 4] = r
      picture.data[i * 4 + 1] = gr
      picture.data[i * 4 + 2] = b
      picture.data[i * 4 + 3] = this.#covers[i]!
    }
    g.putImageData(picture, 0, 0)
    this.#texture.refresh()
    // Each upload resets the texture's filter to the one of the game, which is meant for sharp pixels.
    this.#texture.setFilter(LINEAR)
    return moving
  }
}
