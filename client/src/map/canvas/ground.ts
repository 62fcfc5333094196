// The land: chunks of 24 by 24 tiles, each one texture that is drawn again only
// where something on it looks different, rows of what stands, water below.
import type * as Phaser from 'phaser'
import { COUNTRY_SIDE } from '../../state/grid'
import { ATLAS, canvasTexture, type Brush } from './atlas'
import { FOAM } from './palette'
import { flatPieces, standingPiece, TILE, unpack, WATER } from './terrain'

const CHUNK = 24
const CHUNKS = Math.ceil(COUNTRY_SIDE / CHUNK)
const WATER_MS = 600

export class Ground {
  readonly #brush: Brush
  readonly #water: Phaser.GameObjects.TileSprite
  readonly #chunks: Phaser.Textures.CanvasTexture[] = []
  readonly #rows: Phaser.Textures.CanvasTexture[] = []
  #shown: Uint16Array = new Uint16Array(0)

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer, brush: Brush) {
    this.#brush = brush
    const side = COUNTRY_SIDE * TILE
    this.#water = scene.add.tileSprite(0, 0, side, side, ATLAS, 'water.0').setOrigin(0).setDepth(-1)
    layer.add(this.#water)
    for (let i = 0; i < CHUNKS * CHUNKS; i++) {
      this.#chunks.push(canvasTexture(scene, `ground.${i}`, CHUNK * TILE, CHUNK * TILE))
      layer.add(scene.add.image((i % CHUNKS) * CHUNK * TILE, Math.floor(i / CHUNKS) * CHUNK * TILE, `ground.${i}`).setOrigin(0).setDepth(0))
    }
    for (let y = 0; y < COUNTRY_SIDE; y++) {
      this.#rows.push(canvasTexture(scene, `standing.${y}`, side, TILE * 2))
      layer.add(scene.add.image(0, (y - 1) * TILE, `standing.${y}`).setOrigin(0).setDepth(1000 + (y + 1) * TILE))
    }
  }

  /** Shows the land as it looks now. */
  show(looks: Uint16Array): boolean {
    const was = this.#shown
    const side = COUNTRY_SIDE
    const chunks = new Set<number>()
    const rows = new Set<number>()
    for (let i = 0; i < looks.length; i++) {
      if (was[i] === looks[i]) continue
      const x = i % side
      const y = Math.floor(i / side)
      chunks.add(Math.floor(y / CHUNK) * CHUNKS + Math.floor(x / CHUNK))
      rows.add(y)
    }
    if (chunks.size === 0) return false
    this.#shown = looks
    for (const i of chunks) this.#drawChunk(i)
    for (const y of rows) this.#drawRow(y)
    return true
  }

  water(now: number): void {
    const frame = `water.${Math.floor(now / WATER_MS) % 4}`
    if (this.#water.frame.name !== frame) this.#water.setFrame(frame)
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

  #drawRow(y: number): void {
    const texture = this.#rows[y]!
    const g = texture.context
    g.clearRect(0, 0, COUNTRY_SIDE * TILE, TILE * 2)
    for (let x = 0; x < COUNTRY_SIDE; x++) {
      const piece = standingPiece(this.#shown[y * COUNTRY_SIDE + x] ?? 0, x, y)
      if (!piece) continue
      this.#brush.standing(g, 'shadow', x * TILE, TILE * 2 + 1)
      this.#brush.standing(g, piece, x * TILE, TILE * 2)
    }
    texture.refresh()
  }
}
