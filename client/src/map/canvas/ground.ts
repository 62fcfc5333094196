// The ground in chunks of 24 by 24 tiles. A chunk is one texture and is redrawn only when the look of one of its tiles
// has changed. Water, trees and rocks are sprites; only those that the camera sees are shown.
import type * as Phaser from 'phaser'
import { COUNTRY_SIDE } from '../../state/grid'
import { ATLAS, canvasTexture, type Brush } from './atlas'
import { FOAM } from './palette'
import { meets, type Box } from './view'
import { flatPieces, standingPiece, TILE, unpack, WATER } from './terrain'

const CHUNK = 24
const CHUNKS = Math.ceil(COUNTRY_SIDE / CHUNK)
const WATER_MS = 600

export class Ground {
  readonly #brush: Brush
  readonly #chunks: Phaser.Textures.CanvasTexture[] = []
  readonly #flats: Phaser.GameObjects.Image[] = []
  readonly #scene: Phaser.Scene
  readonly #layer: Phaser.GameObjects.Layer
  /** The standing pieces of each row of tiles. */
  #standing: { x: number; piece: string }[][] = []
  #wet: number[][] = []
  /** Pools of sprites that cull reuses. The sprites at the beginning of a pool are in use; cull hides the others. */
  readonly #stands: Phaser.GameObjects.Image[] = []
  readonly #waters: Phaser.GameObjects.Image[] = []
  #wave = 'water.0'
  #culled = ''
  #shown: Uint16Array = new Uint16Array(0)

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer, brush: Brush) {
    this.#brush = brush
    this.#scene = scene
    this.#layer = layer
    for (let i = 0; i < CHUNKS * CHUNKS; i++) {
      this.#chunks.push(canvasTexture(scene, `ground.${i}`, CHUNK * TILE, CHUNK * TILE))
      const image = scene.add
        .image((i % CHUNKS) * CHUNK * TILE, Math.floor(i / CHUNKS) * CHUNK * TILE, `ground.${i}`)
        .setOrigin(0)
        .setDepth(0)
      this.#flats.push(image)
      layer.add(image)
    }
  }

  /** Draws the tiles as `looks` describes them. Returns whether any look has changed. */
  show(looks: Uint16Array): boolean {
    const was = this.#shown
    const side = COUNTRY_SIDE
    const chunks = new Set<number>()
    for (let i = 0; i < looks.length; i++) {
      if (was[i] === looks[i]) continue
      const x = i % side
      const y = Math.floor(i / side)
      chunks.add(Math.floor(y / CHUNK) * CHUNKS + Math.floor(x / CHUNK))
    }
    if (chunks.size === 0) return false
    this.#shown = looks
    for (const i of chunks) this.#drawChunk(i)
    this.#standing = []
    this.#wet = []
    for (let y = 0; y < side; y++) {
      const stands: { x: number; piece: string }[] = []
      const wet: number[] = []
      for (let x = 0; x < side; x++) {
        const look = looks[y * side + x] ?? 0
        const piece = standingPiece(look, x, y)
        if (piece) stands.push({ x, piece })
        if (unpack(look).tile === WATER) wet.push(x)
      }
      this.#standing.push(stands)
      this.#wet.push(wet)
    }
    this.#culled = ''
    return true
  }

  /** Hides what the camera does not see: without a GPU every pixel costs time. */
  cull(seen: Box): void {
    const left = Math.floor(seen.left / TILE) - 1
    const right = Math.floor(seen.right / TILE) + 1
    const top = Math.max(0, Math.floor(seen.top / TILE))
    const bottom = Math.min(COUNTRY_SIDE - 1, Math.floor(seen.bottom / TILE) + 1)
    const key = `${left} ${right} ${top} ${bottom}`
    if (key === this.#culled) return
    this.#culled = key
    for (const image of this.#flats) image.setVisible(meets(seen, image.x, image.y, CHUNK * TILE, CHUNK * TILE))
    let stands = 0
    let waters = 0
    for (let y = top; y <= bottom; y++) {
      for (const { x, piece } of this.#standing[y] ?? []) {
        if (x < left || x > right) continue
        this.#sprite(this.#stands, stands++)
          .setFrame(piece)
          .setOrigin(0, 1)
          .setPosition(x * TILE, (y + 1) * TILE)
          .setDepth(1000 + (y + 1) * TILE)
      }
      for (const x of this.#wet[y] ?? []) {
        if (x < left || x > right) continue
        this.#sprite(this.#waters, waters++)
          .setFrame(this.#wave)
          .setOrigin(0)
          .setPosition(x * TILE, y * TILE)
          .setDepth(-1)
      }
    }
    for (const sprite of this.#stands.slice(stands)) sprite.setVisible(false)
    for (const sprite of this.#waters.slice(waters)) sprite.setVisible(false)
  }

  #sprite(of: Phaser.GameObjects.Image[], i: number): Phaser.GameObjects.Image {
    let sprite = of[i]
    if (!sprite) {
      sprite = this.#scene.add.image(0, 0, ATLAS)
      this.#layer.add(sprite)
      of.push(sprite)
    }
    return sprite.setVisible(true)
  }

  water(now: number): void {
    const wave = `water.${Math.floor(now / WATER_MS) % 4}`
    if (this.#wave === wave) return
    this.#wave = wave
    for (const sprite of this.#waters) if (sprite.visible) sprite.setFrame(wave)
  }

  #drawChunk(i: number): void {
    const texture = this.#chunks[i]!
    const g = texture.context
    const x0 = (i % CHUNKS) * CHUNK
    const y0 = Math.floor(i / CHUNKS) * CHUNK
    g.clearRect(0, 0, CHUNK * TILE, CHUNK * TILE)
    g.fillStyle = FOAM
    for (let y = y0; y < y0 + CHUNK; y++) {
      for (let x = x0; x < x0 + CHUNK; x++) {
        const look = this.#shown[y * COUNTRY_SIDE + x] ?? 0
        const px = (x - x0) * TILE
        const py = (y - y0) * TILE
        for (const piece of flatPieces(look, x, y)) this.#brush.flat(g, piece, px, py)
        if (standingPiece(look, x, y)) this.#brush.standing(g, 'shadow', px, py + TILE + 1)
        if (unpack(look).tile !== WATER) continue
        if (this.#dry(x, y - 1)) g.fillRect(px, py, TILE, 2)
        if (this.#dry(x, y + 1)) g.fillRect(px, py + TILE - 1, TILE, 1)
        if (this.#dry(x - 1, y)) g.fillRect(px, py, 1, TILE)
        if (this.#dry(x + 1, y)) g.fillRect(px + TILE - 1, py, 1, TILE)
      }
    }
    texture.refresh()
  }

  #dry(x: number, y: number): boolean {
    if (x < 0 || y < 0 || x >= COUNTRY_SIDE || y >= COUNTRY_SIDE) return false
    return unpack(this.#shown[y * COUNTRY_SIDE + x] ?? 0).tile !== WATER
  }
}
