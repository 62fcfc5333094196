// A drawn room: floor and walls, furniture, doors, files with their marks, and the heroes in the room. It caches images
// of the room between frames.
import type { Collision, Finding, MapChange, Room, RoomObject } from '../../net/protocol.gen'
import { collisionsOf, type CollisionsAt } from '../collisions'
import { flagsOf, type Flags } from '../flags'
import { picture, type Atlas, type Pen } from './atlas'
import { Backdrop, cover, inWorld, type Frame } from './backdrop'
import { Brush } from './brush'
import type { Camera } from './camera'
import type { Pace } from './frames'
import { floorPiece, furnitureSprites, nameRank, thingPiece } from './furniture'
import { Heroes } from './heroes'
import type { HeroNow } from './heroes-now'
import { Shade, shine, type Lamp } from './light'
import { footprints, glows, moss } from './marks'
import type { Tag } from './overlay'
import { SHADE, type Tones } from './palette'
import { pickRoom, type Pick } from './picking'
import type { Moment, Scene } from './scene'
import { boxOf, depthOf, put, visible, type Sprite } from './sprite'
import { roomTags } from './tags'
import { scatter, TILE } from './terrain'
import { detail, meets, roomView, type Screen, type Size, type View } from './view'

/** The maximum side of the floor's image in pixels. The image of a larger room has half the size. */
const MAX = 4096

export class RoomScene implements Scene {
  readonly #atlas: Atlas
  readonly #brush: Brush
  readonly #heroes: Heroes
  readonly #backdrop = new Backdrop()
  readonly #shade = new Shade()
  #change: MapChange | null = null
  #floor: Pen | null = null
  #shown: { room: Room | null; findings: unknown; collisions: unknown } = {
    room: null,
    findings: null,
    collisions: null,
  }
  #things: Sprite[] = []
  #flags: Flags['at'] = new Map()
  #lamps = ''
  #tones: Tones | null = null
  #furnished = 0

  constructor(atlas: Atlas) {
    this.#atlas = atlas
    this.#brush = new Brush(atlas)
    this.#heroes = new Heroes(atlas, this.#brush)
  }

  /** Sets the room that the next frames show. */
  show(change: MapChange): void {
    this.#change = change
  }

  get world(): Size {
    const room = this.#change?.room
    return { width: (room?.width ?? 1) * TILE, height: (room?.height ?? 1) * TILE }
  }

  begin(_: Moment, screen: Size, ratio: number): View {
    return roomView(screen, this.world, ratio)
  }

  draw(g: Pen, camera: Camera, m: Moment): Pace {
    const change = this.#change
    if (!change) return 'still'
    const { room } = change
    const here = this.#here(m)
    this.#furnish(room, m.realm.world.findings, m.realm.world.collisions)
    this.#light(room, here, m.tones)
    const waits = this.#backdrop.show(
      g,
      camera,
      m.tones.beyond,
      { key: `room ${this.#furnished}`, changed: null, paint: (pen, frame) => this.#paint(pen, frame) },
      this.#shade,
    )
    const { seen, origin, view } = camera
    this.#brush.begin(g, { zoom: view.zoom, left: origin.x, top: origin.y })
    this.#brush.paint(g, glowSprites(room, Date.now(), m.calm), seen)
    const near = here.filter((h) => meets(seen, (h.x - 2) * TILE, (h.y - 2) * TILE, 5 * TILE, 5 * TILE))
    this.#heroes.paint(g, near, this.#before)
    if (waits || (!m.calm && here.some((h) => h.moving))) return 'moving'
    return m.calm ? 'still' : 'living'
  }

  glimpse(g: Pen, frame: Frame, { realm }: Moment, heroes: readonly HeroNow[]): void {
    if (!this.#change) return
    this.#furnish(this.#change.room, realm.world.findings, realm.world.collisions)
    this.#paint(g, frame)
    this.#brush.begin(g, frame)
    this.#heroes.paint(g, heroes, this.#before)
  }

  #paint(g: Pen, frame: Frame): void {
    g.imageSmoothingEnabled = frame.zoom < 1
    if (this.#floor) cover(g, frame, this.#floor.canvas, 0, 0, this.world.width, this.world.height)
    inWorld(g, frame)
    for (const s of visible(this.#atlas, this.#things, frame.seen)) put(g, this.#atlas, s)
  }

  tags(camera: Camera, m: Moment, screen: Screen): Tag[] {
    if (!this.#change) return []
    const { name } = m.realm.world.realm
    const rank = (o: RoomObject): number => nameRank(o, this.#flags.get(o.path))
    return roomTags(
      this.#change,
      this.#here(m),
      detail(camera.cssZoom),
      camera.project,
      screen,
      name,
      rank,
      m.hover,
      m.marked,
    )
  }

  pick(m: Moment, x: number, y: number): Pick | null {
    return this.#change && pickRoom(this.#change.room, this.#here(m), x, y)
  }

  placed(h: HeroNow): HeroNow | null {
    const at = this.#change
    return h.room === at?.path && h.page === at.page ? h : null
  }

  #here(m: Moment): HeroNow[] {
    return m.heroes.filter((h) => this.placed(h) !== null)
  }

  readonly #before = (s: Sprite): Sprite[] => {
    const b = boxOf(this.#atlas, s)
    return this.#things.filter((o) => {
      if (o.depth !== undefined || depthOf(o) <= depthOf(s)) return false
      const at = boxOf(this.#atlas, o)
      return meets(at, b.left, b.top, b.right - b.left, b.bottom - b.top)
    })
  }

  /** Draws the floor and the things again, if they, their findings or their collisions have changed. */
  #furnish(room: Room, findings: readonly Finding[], collisions: readonly Collision[] | undefined): void {
    const was = this.#shown
    if (room === was.room && findings === was.findings && collisions === was.collisions) return
    this.#shown = { room, findings, collisions }
    this.#furnished++
    if (room !== was.room) this.#floor = drawFloor(this.#atlas, room)
    const clashes = collisionsOf(collisions)
    this.#flags = flagsOf(findings).at
    this.#things = [
      ...furnitureSprites(room),
      ...doorSprites(room, clashes),
      ...thingSprites(room, this.#flags, clashes, Date.now()),
    ]
  }

  #light(room: Room, here: readonly HeroNow[], tones: Tones): void {
    const key = `${this.#furnished} ${here.map((h) => `${Math.round(h.x)},${Math.round(h.y)}`).join(' ')}`
    if (key === this.#lamps && tones === this.#tones) return
    this.#lamps = key
    this.#tones = tones
    const lamps: Lamp[] = here.map((h) => ({ x: Math.round(h.x), y: Math.round(h.y), radius: 6, strength: 0.9 }))
    for (let x = 3; x < room.width - 1; x += 6) lamps.push({ x, y: 0, radius: 7, strength: 0.8 })
    for (const d of room.doors ?? []) lamps.push({ x: d.x, y: d.y, radius: 4, strength: 0.4 })
    const lit = new Float32Array(room.width * room.height)
    shine(lit, room.width, room.height, lamps)
    this.#shade.set(room.width, room.height, [tones.indoors], new Uint8Array(lit.length), lit, tones.lamp)
  }
}

function drawFloor(atlas: Atlas, room: Room): Pen {
  const tile = room.width * TILE > MAX || room.height * TILE > MAX ? TILE / 2 : TILE
  const g = picture(room.width * tile, room.height * tile)
  g.scale(tile / TILE, tile / TILE)
  const wall = wallsOf(room)
  for (let y = 0; y < room.height; y++)
    for (let x = 0; x < room.width; x++)
      if (wall(x, y)) wallAt(atlas, g, x, y, wall(x, y + 1))
      else floorAt(atlas, g, room, x, y, wall)
  return g
}

function wallAt(atlas: Atlas, g: Pen, x: number, y: number, above: boolean): void {
  const n = scatter(x, y, 7)
  atlas.flat(g, above ? `wall.top.${n % 2}` : `wall.face.${n % 2}`, x * TILE, y * TILE)
  if (!above && y === 0 && x % 6 === 3) atlas.flat(g, 'wall.torch.0', x * TILE, y * TILE)
}

function floorAt(atlas: Atlas, g: Pen, room: Room, x: number, y: number, wall: Walls): void {
  const [px, py] = [x * TILE, y * TILE]
  atlas.flat(g, floorPiece(room, x, y), px, py)
  g.fillStyle = SHADE
  if (wall(x, y - 1)) g.fillRect(px, py, TILE, 3)
  if (wall(x - 1, y)) g.fillRect(px, py, 2, TILE)
}

/** A sprite whose lower edge is the lower edge of a tile. */
function on(piece: string, x: number, y: number, depth?: number): Sprite {
  const at = { piece, x: Math.round((x + 0.5) * TILE), y: Math.round((y + 1) * TILE) }
  return depth === undefined ? at : { ...at, depth }
}

function doorSprites(room: Room, clashes: CollisionsAt): Sprite[] {
  const out: Sprite[] = []
  for (const d of room.doors ?? []) {
    out.push(on(d.back ? 'door.back' : 'door.closed', d.x, d.y, 0))
    if (d.uncommitted) out.push(on('mark.uncommitted', d.x + 0.3, d.y, Infinity))
    if (!d.back && clashes.below.has(d.path)) out.push(on('mark.collision', d.x - 0.3, d.y - 0.4, Infinity))
  }
  return out
}

function thingSprites(room: Room, flag: Flags['at'], clashes: CollisionsAt, now: number): Sprite[] {
  const out: Sprite[] = []
  for (const o of room.objects ?? []) {
    const depth = (o.y + 1) * TILE
    const prints = footprints(o.commits)
    if (prints > 0) out.push(on(`footprints.${prints - 1}`, o.x, o.y + 0.4, 0))
    out.push(on(thingPiece(o), o.x, o.y))
    const grown = moss(o.touched, now)
    if (grown > 0) out.push(on(`moss.${grown - 1}`, o.x, o.y, depth + 0.1))
    if (o.committed === false) out.push(on('mark.uncommitted', o.x + 0.3, o.y, depth + 0.2))
    const severity = flag.get(o.path)
    if (severity) out.push(on(`flag.${severity}`, o.x + 0.3, o.y - 0.5, depth + 0.3))
    if (clashes.at.has(o.path)) out.push(on('mark.collision', o.x - 0.3, o.y - 0.5, depth + 0.4))
  }
  return out
}

/** The glows of files that have changed in the last minute. */
function glowSprites(room: Room, now: number, calm: boolean): Sprite[] {
  const piece = `glow.${calm ? 0 : Math.floor(now / 900) % 2}`
  return (room.objects ?? []).flatMap((o) =>
    glows(o.changed, now) ? [{ ...on(piece, o.x, o.y + 0.1), glow: true }] : [],
  )
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
