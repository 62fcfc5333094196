// The sprites of houses and forts.
import type * as Phaser from 'phaser'
import type { Fort, Site } from '../../net/protocol.gen'
import { ATLAS } from './atlas'
import { tint } from './palette'
import { meets, type Box } from './view'
import { sitePiece, TILE } from './terrain'

export class Sites {
  readonly #scene: Phaser.Scene
  readonly #layer: Phaser.GameObjects.Layer
  #houses: Phaser.GameObjects.Image[] = []
  #forts: Phaser.GameObjects.Image[] = []
  #banners: Phaser.GameObjects.Image[] = []
  #marks: Phaser.GameObjects.Image[] = []

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer) {
    this.#scene = scene
    this.#layer = layer
  }

  houses(sites: readonly Site[]): void {
    for (const h of this.#houses) h.destroy()
    this.#houses = sites.map((s) => this.#add(sitePiece(s), (s.x + s.width / 2) * TILE, (s.y + s.height) * TILE))
  }

  forts(forts: readonly Fort[]): void {
    for (const f of [...this.#forts, ...this.#banners]) f.destroy()
    this.#forts = forts.map((f) =>
      this.#add(`fort.${Math.min(5, Math.max(1, f.stage))}`, (f.x + 0.5) * TILE, (f.y + 3) * TILE),
    )
    this.#banners = forts.map((f) =>
      this.#add('fort.banner.0', (f.x + 2) * TILE, (f.y + 2) * TILE).setTint(tint(f.color)),
    )
  }

  /** Marks the houses in which coding agents are in each other's way. */
  mark(sites: readonly Site[]): void {
    for (const m of this.#marks) m.destroy()
    this.#marks = sites.map((s) => this.#add('mark.collision', (s.x + s.width / 2) * TILE, s.y * TILE).setDepth(5001))
  }

  /** Hides what the camera does not see. */
  cull(seen: Box): void {
    for (const o of [...this.#houses, ...this.#forts, ...this.#banners, ...this.#marks])
      o.setVisible(meets(seen, o.x - o.width / 2, o.y - o.height, o.width, o.height))
  }

  wave(now: number): void {
    const frame = `fort.banner.${Math.floor(now / 700) % 2}`
    for (const b of this.#banners) if (b.frame.name !== frame) b.setFrame(frame)
  }

  #add(piece: string, x: number, y: number): Phaser.GameObjects.Image {
    const o = this.#scene.add
      .image(Math.round(x), y, ATLAS, piece)
      .setOrigin(0.5, 1)
      .setDepth(1000 + y - 1)
    this.#layer.add(o)
    return o
  }
}
