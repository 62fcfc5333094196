// The light of lanterns and torches: rings that brighten what is below them.
import type * as Phaser from 'phaser'
import { ATLAS } from './atlas'

export interface Lamp {
  x: number
  y: number
  kind: 'lantern' | 'torch'
  strength: number
}

/** The maximum number of lamps that are drawn. show ignores further lamps. */
const MAX = 80

/** Phaser.BlendModes.ADD */
const ADD = 1

export class Light {
  readonly #scene: Phaser.Scene
  readonly #layer: Phaser.GameObjects.Layer
  readonly #depth: number
  readonly #lamps: Phaser.GameObjects.Image[] = []

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer, depth: number) {
    this.#scene = scene
    this.#layer = layer
    this.#depth = depth
  }

  show(lamps: readonly Lamp[]): void {
    const shown = lamps.slice(0, MAX)
    while (this.#lamps.length < shown.length) {
      const lamp = this.#scene.add.image(0, 0, ATLAS, 'light.lantern').setBlendMode(ADD).setDepth(this.#depth)
      this.#layer.add(lamp)
      this.#lamps.push(lamp)
    }
    this.#lamps.forEach((lamp, i) => {
      const at = shown[i]
      lamp.setVisible(at !== undefined)
      if (at) lamp.setPosition(at.x, at.y).setFrame(`light.${at.kind}`).setAlpha(at.strength)
    })
  }
}
