// The one scene of the drawn map: it loads the atlas and hands itself over.
import * as Phaser from 'phaser'
import { ATLAS } from './atlas'

export class Boot extends Phaser.Scene {
  readonly #folder: string
  readonly #onReady: (scene: Phaser.Scene) => void
  readonly #onFail: () => void

  /** folder: where the atlas lies. onFail is called where the atlas cannot be loaded. */
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
