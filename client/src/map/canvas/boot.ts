// The only Phaser scene of the map. It loads the atlas and then passes itself to its callback, in stage.ts.
import * as Phaser from 'phaser'
import { ATLAS } from './atlas'

export class Boot extends Phaser.Scene {
  readonly #folder: string
  readonly #onReady: (scene: Phaser.Scene) => void
  readonly #onFail: () => void

  /** folder: the address of the atlas's folder. onFail is called if the atlas cannot be loaded. */
  constructor(folder: string, onReady: (scene: Phaser.Scene) => void, onFail: () => void) {
    super()
    this.#folder = folder
    this.#onReady = onReady
    this.#onFail = onFail
  }

  preload(): void {
    this.load.atlas(ATLAS, `${this.#folder}/atlas.png`, `${this.#folder}/atlas.json`)
  }

  create(): void {
    if (this.textures.exists(ATLAS)) this.#onReady(this)
    else this.#onFail()
  }
}
