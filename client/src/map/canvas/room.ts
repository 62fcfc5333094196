// A drawn room. The floor and the walls are one texture; things, doors, flags and the signs of changes are sprites. The
// room is redrawn when the server sends it again.
import type * as Phaser from 'phaser'
import type { Collision, Finding, Room } from '../../net/protocol.gen'
import { collisionsOf, type CollisionsAt } from '../collisions'
import { flagsOf } from '../flags'
import { ATLAS, canvasTexture, type Brush } from './atlas'
import { footprints, glows, moss, objectPiece } from './marks'
import { FLOOR_EDGE, SHADE } from './palette'
import { scatter, TILE } from './terrain'

/** The largest side of a texture in pixels, which every graphics card supports. */
const MAX = 2048

/** What marks files and doors. */
interface Marks {
  findings: readonly Finding[]
  collisions?: readonly Collision[] | undefined
}

export class RoomView {
  readonly #scene: Phaser.Scene
  readonly #layer: Phaser.GameObjects.Layer
  readonly #brush: Brush
  #things: Phaser.GameObjects.Image[] = []
  #glows: { image: Phaser.GameObjects.Image; changed: string }[] = []
  #shown: Room | null = null
  #marks: Marks = { findings: [], collisions: undefined }

  constructor(scene: Phaser.Scene, layer: Phaser.GameObjects.Layer, brush: Brush) {
    this.#scene = scene
    this.#layer = layer
    this.#brush = brush
  }

  /** Draws the room, if it or its marks have changed. Returns whether the drawing changed. */
  show(room: Room | null, { findings, collisions }: Marks, now: number): boolean {
    const was = this.#marks
    if (room === this.#shown && findings === was.findings && collisions === was.collisions) return false
    this.#shown = room
    this.#marks = { findings, collisions }
    for (const o of this.#things) o.destroy()
    this.#things = []
    this.#glows = []
    if (!room) return true
    const clashes = collisionsOf(collisions)
    this.#floor(room)
    this.#doors(room, clashes)
    this.#objects(room, findings, clashes, now)
    return true
  }

  /** Turns off the glows whose time is over. Returns whether any glow is still on. */
  glow(now: number): boolean {
    for (const g of this.#glows) {
      g.image.setVisible(glows(g.changed, now)).setFrame(`glow.${Math.floor(now / 900) % 2}`)
    }
    return this.#glows.some((g) => g.image.visible)
  }

  #floor(room: Room): void {
    const tile = room.width * TILE > MAX || room.height * TILE > MAX ? TILE / 2 : TILE
    const texture = canvasTexture(this.#scene, 'room', room.width * tile, room.height * tile)
    const g = texture.context
    g.imageSmoothingEnabled = false
    g.scale(tile / TILE, tile / TILE)
    const wall = wallsOf(room)
    for (let y = 0; y < room.height; y++)
      for (let x = 0; x < room.width; x++)
        if (wall(x, y)) this.#wallAt(g, x, y, wall(x, y + 1))
        else this.#floorAt(g, room, x, y, wall)
    texture.refresh()
    const image = this.#scene.add
      .image(0, 0, 'room')
      .setOrigin(0)
      .setScale(TILE / tile)
      .setDepth(0)
    this.#layer.add(image)
    this.#things.push(image)
  }

  #wallAt(g: CanvasRenderingContext2D, x: number, y: number, above: boolean): void {
    const n = scatter(x, y, 7)
    this.#brush.flat(g, above ? `wall.top.${n % 2}` : `wall.face.${n % 2}`, x * TILE, y * TILE)
    if (!above && y === 0 && x % 6 === 3) this.#brush.flat(g, 'wall.torch.0', x * TILE, y * TILE)
  }

  #floorAt(g: CanvasRenderingContext2D, room: Room, x: number, y: number, wall: Walls): void {
    const n = scatter(x, y, 7)
    const part = (room.parts ?? []).find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height)
    const wood = part?.kind === 'doc' || part?.kind === 'test'
    const [px, py] = [x * TILE, y * TILE]
    const variant = n % 12 === 0 ? 1 + ((n >>> 8) % 3) : 0
    this.#brush.flat(g, `floor.${wood ? 'wood' : 'stone'}.${variant}`, px, py)
    g.fillStyle = SHADE
    if (wall(x, y - 1)) g.fillRect(px, py, TILE, 3)
    if (wall(x - 1, y)) g.fillRect(px, py, 2, TILE)
    g.fillStyle = FLOOR_EDGE
    if (part && x === part.x) g.fillRect(px, py, 1, TILE)
    if (part && y === part.y) g.fillRect(px, py, TILE, 1)
  }

  #doors(room: Room, clashes: CollisionsAt): void {
    for (const d of room.doors ?? []) {
      this.#put(d.back ? 'door.back' : 'door.closed', d.x, d.y, 10)
      if (d.uncommitted) this.#put('mark.uncommitted', d.x + 0.3, d.y, 5000)
      if (!d.back && clashes.below.has(d.path)) this.#put('mark.collision', d.x - 0.3, d.y - 0.4, 5000)
    }
  }

  #objects(room: Room, findings: readonly Finding[], clashes: CollisionsAt, now: number): void {
    const flag = flagsOf(findings).at
    for (const o of room.objects ?? []) {
      const depth = 1000 + (o.y + 1) * TILE
      const prints = footprints(o.commits)
      if (prints > 0) this.#put(`footprints.${prints - 1}`, o.x, o.y + 0.4, 500)
      if (glows(o.changed, now)) {
        const image = this.#put('glow.0', o.x, o.y + 0.1, depth - 0.5)
        image.setBlendMode(1)
        this.#glows.push({ image, changed: o.changed! })
      }
      this.#put(objectPiece(o), o.x, o.y, depth)
      const grown = moss(o.touched, now)
      if (grown > 0) this.#put(`moss.${grown - 1}`, o.x, o.y, depth + 0.1)
      if (o.committed === false) this.#put('mark.uncommitted', o.x + 0.3, o.y, depth + 0.2)
      const severity = flag.get(o.path)
      if (severity) this.#put(`flag.${severity}`, o.x + 0.3, o.y - 0.5, depth + 0.3)
      if (clashes.at.has(o.path)) this.#put('mark.collision', o.x - 0.3, o.y - 0.5, depth + 0.4)
    }
  }

  /** Places a piece with its bottom on the bottom of a tile. */
  #put(piece: string, x: number, y: number, depth: number): Phaser.GameObjects.Image {
    const image = this.#scene.add
      .image(Math.round((x + 0.5) * TILE), Math.round((y + 1) * TILE), ATLAS, piece)
      .setOrigin(0.5, 1)
      .setDepth(depth)
    this.#layer.add(image)
    this.#things.push(image)
    return image
  }
}

/** Tells whether a tile is a wall. A tile outside of the room counts as a wall. */
type Walls = (x: number, y: number) => boolean

function wallsOf(room: Room): Walls {
  const { width, height } = room
  const walls = new Set((room.walls ?? []).map(([x, y]) => y * width + x))
  const doors = new Set((room.doors ?? []).map((d) => d.y * width + d.x))
  const within = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height
  const inner = (x: number, y: number) => x > 0 && y > 0 && x < width - 1 && y < height - 1
  return (x, y) => {
    const at = y * width + x
    return !within(x, y) || ((!inner(x, y) || walls.has(at)) && !doors.has(at))
  }
}
