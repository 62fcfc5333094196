// The sprites of heroes: body, cloth in the member's colour, shadow; dots when zoomed out. Sprites are reused by
// member.
import type * as Phaser from 'phaser'
import { ATLAS } from './atlas'
import { NIGHT, tint } from './palette'
import { TILE } from './terrain'

export interface Hero {
  id: string
  name: string
  color: string
  /** In tiles. */
  x: number
  y: number
  frame: string
  moving: boolean
  lit: boolean
}

interface Sprites {
  shadow: Phaser.GameObjects.Image
  body: Phaser.GameObjects.Image
  cloth: Phaser.GameObjects.Image
}

export class Heroes {
  readonly #scene: Phaser.Scene
  readonly #layer: Phaser.GameObjects.Layer
  readonly #sprites = new Map<string, Sprites>()
  readonly #dots: Phaser.GameObjects.Graphics

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer) {
    this.#scene = scene
    this.#layer = layer
    this.#dots = scene.add.graphics().setDepth(7000)
    layer.add(this.#dots)
  }

  show(heroes: readonly Hero[], dots: boolean, zoom: number): void {
    this.#dots.clear()
    if (dots) {
      for (const s of this.#sprites.values()) for (const o of [s.shadow, s.body, s.cloth]) o.setVisible(false)
      const size = 5 / zoom
      for (const h of heroes) {
        this.#dots.fillStyle(NIGHT, 1).fillCircle((h.x + 0.5) * TILE, (h.y + 0.5) * TILE, size + 1 / zoom)
        this.#dots.fillStyle(tint(h.color), 1).fillCircle((h.x + 0.5) * TILE, (h.y + 0.5) * TILE, size)
      }
      return
    }
    const here = new Set<string>()
    for (const h of heroes) {
      here.add(h.id)
      const s = this.#sprites.get(h.id) ?? this.#make(h.id)
      const x = Math.round((h.x + 0.5) * TILE)
      const y = Math.round((h.y + 1) * TILE) - 2
      s.shadow.setPosition(x, y).setVisible(true).setDepth(999)
      s.body
        .setPosition(x, y)
        .setFrame(h.frame)
        .setVisible(true)
        .setDepth(1000 + y)
      s.cloth
        .setPosition(x, y)
        .setFrame(`cloth.${h.frame}`)
        .setTint(tint(h.color))
        .setVisible(true)
        .setDepth(1000 + y + 0.1)
    }
    for (const [id, s] of this.#sprites) {
      if (here.has(id)) continue
      for (const o of [s.shadow, s.body, s.cloth]) o.destroy()
      this.#sprites.delete(id)
    }
  }

  #make(id: string): Sprites {
    const add = (frame: string): Phaser.GameObjects.Image => {
      const o = this.#scene.add.image(0, 0, ATLAS, frame).setOrigin(0.5, 1)
      this.#layer.add(o)
      return o
    }
    const s = {
      shadow: add('shadow').setOrigin(0.5, 0.5),
      body: add('hero.0.down.idle0'),
      cloth: add('cloth.hero.0.down.idle0'),
    }
    this.#sprites.set(id, s)
    return s
  }
}
