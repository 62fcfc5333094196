// Chooses a slot for each hero: the point at which the hero is drawn. The server gives each hero a tile, but a hero
// is drawn one and a half tiles wide and two high, so heroes on adjacent tiles would hide one another. A hero has
// the same slot until it goes to another file or leaves the room. Slots of other heroes do not change its slot.
// Pure: the new slots depend only on the previous slots, the heroes and the time.
import type { Room } from '../../net/protocol.gen'
import { along, floorOf, isFree, wayIn, type Floor, type Way } from './floor'
import type { Direction } from './walking'

/** A hero that stands in a room or in the country, or walks through its room. */
export interface Arrival {
  id: string
  /** Identifies the page of a room on which the hero is; '' in the country. */
  place: string
  /** The room; null in the country, and while the page has not loaded the room. */
  room: Room | null
  /** The tile at which the hero stands or at which its walk ends. */
  x: number
  y: number
  /** The file or folder that the hero reads; '' for none. */
  file: string
  /**
   * The time of the hero's arrival. If several heroes are new in a frame, they get their slots in the order of this
   * time.
   */
  since: string
  /**
   * The point at which the hero walks now, and the milliseconds that the hero needs for a tile; null if the hero
   * stands.
   */
  walks: { x: number; y: number; msPerTile: number } | null
}

export interface Slot {
  arrival: Arrival
  x: number
  y: number
  /** The hero's walk to this point; null for none. */
  way: Way | null
}

export type Slots = ReadonlyMap<string, Slot>

interface Point {
  x: number
  y: number
}

/** The size of a drawn hero in tiles. */
const HERO = { width: 1.5, height: 2 } as const
/** The size of a hero's name in tiles, at a zoom at which a name can be read. The name is drawn below the feet. */
const NAME = { width: 3, height: 1 } as const
/**
 * The maximum distance between a hero and the file that it reads, in tiles along each axis. A hero stands farther away
 * only if it would hide too much of another hero within this distance.
 */
const REACH = 4
/** The width of the heading of a group of files, in tiles from the left wall. */
const HEADING = 6
/**
 * The costs of drawing a hero at a point. The point with the lowest sum is taken. hero: for hiding another hero
 * completely; for hiding a part, that fraction of it. thing: for covering a file or a door. heading: for covering a
 * heading. name: for covering a name. step: for each tile of distance from the file that the hero reads.
 */
const COSTS = { hero: 120, thing: 30, heading: 10, name: 5, step: 2 } as const
/**
 * The maximum part of a hero that another hero may hide. Above this part, a person cannot tell the two heroes
 * apart.
 */
const MOST_HIDDEN = 0.5
/** How far to the right of its tile (negative: to the left) a hero can be drawn in the country, the best first. */
const BESIDE = [0, 1.5, -1.5, 3, -3, 4.5, -4.5] as const
/** How long a hero takes for a tile if the server has moved it to another tile without a walk, in milliseconds. */
const MS_PER_TILE = 150

/**
 * Returns the slots (the points at which heroes are drawn) at the time now; `before` itself if no hero has come, left
 * or changed its place.
 */
export function slotsOf(before: Slots, heroes: readonly Arrival[], now: number): Slots {
  const moved = heroes.filter((h) => !keeps(before.get(h.id), h))
  if (moved.length === 0 && before.size === heroes.length) return before
  const out = new Map<string, Slot>()
  for (const h of heroes) if (!moved.includes(h)) out.set(h.id, before.get(h.id)!)
  for (const h of moved.sort(byArrival)) {
    const others = [...out.values()].filter((s) => s.arrival.place === h.place)
    const { x, y } = h.room ? indoors(h, h.room, others) : outdoors(h, others)
    out.set(h.id, { arrival: h, x, y, way: wayTo({ x, y }, h, before, now) })
  }
  return out
}

/**
 * Whether the hero keeps its slot: it has not gone elsewhere and, if the page has a newer state of the room, the slot
 * is still free in it and the file that the hero reads stands where it stood. A new file moves those behind it.
 */
function keeps(slot: Slot | undefined, h: Arrival): boolean {
  if (!slot) return false
  const was = slot.arrival
  if (was.x !== h.x || was.y !== h.y || was.file !== h.file || was.place !== h.place) return false
  if (was.room === h.room) return true
  if (was.room === null || h.room === null || !isFree(floorOf(h.room), slot)) return false
  const [then, now] = [fileOf(was, was.room), fileOf(h, h.room)]
  return then?.x === now?.x && then?.y === now?.y
}

/** The file that the hero reads, in this state of its room; undefined if the room does not have it. */
function fileOf({ file }: Arrival, room: Room): Point | undefined {
  return (room.objects ?? []).find((o) => o.path === file)
}

function byArrival(a: Arrival, b: Arrival): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function outdoors({ x, y }: Arrival, others: readonly Point[]): Point {
  const free = BESIDE.find((dx) => others.every((o) => hidden({ x: x + dx, y }, o) === 0))
  return { x: x + (free ?? 0), y }
}

/**
 * The point with the lowest cost: within REACH of the file that the hero reads or, if the hero would hide too much of
 * another hero there, in the whole room.
 */
function indoors(h: Arrival, room: Room, others: readonly Point[]): Point {
  const floor = floorOf(room)
  const read = fileOf(h, room) ?? h
  const cost = costIn(room, floor, read, others)
  const near = cheapest(floor, read, REACH, cost)
  if (near && !others.some((o) => hidden(near, o) > MOST_HIDDEN)) return near
  return cheapest(floor, read, Math.max(floor.width, floor.height), cost) ?? { x: h.x, y: h.y }
}

function cheapest(floor: Floor, { x, y }: Point, reach: number, cost: (p: Point) => number): Point | null {
  let best: { at: Point; cost: number } | null = null
  for (let row = Math.max(1, y - reach); row <= Math.min(floor.height - 2, y + reach); row++)
    for (let at = Math.max(1, x - reach); at <= Math.min(floor.width - 2, x + reach); at += 0.5) {
      const point = { x: at, y: row }
      if (!isFree(floor, point)) continue
      const costs = cost(point)
      if (best === null || costs < best.cost) best = { at: point, cost: costs }
    }
  return best && best.at
}

function costIn(room: Room, floor: Floor, read: Point, others: readonly Point[]): (p: Point) => number {
  const parts = room.parts ?? []
  return (p) => {
    const on = (t: Point): boolean => Math.abs(t.x - p.x) < 1 && (t.y === p.y || t.y === p.y - 1)
    let cost = COSTS.step * (Math.abs(p.x - read.x) + Math.abs(p.y - read.y))
    if (floor.things.some(on)) cost += COSTS.thing
    if (p.x <= HEADING && parts.some((t) => t.y === p.y || t.y === p.y + 1)) cost += COSTS.heading
    for (const o of others) cost += COSTS.hero * hidden(p, o) + (hidesName(p, o) ? COSTS.name : 0)
    return cost
  }
}

/** How much a hero at point a and a hero at point b overlap: 0 for not at all, 1 for completely. */
function hidden(a: Point, b: Point): number {
  const width = HERO.width - Math.abs(a.x - b.x)
  const height = HERO.height - Math.abs(a.y - b.y)
  return width > 0 && height > 0 ? (width * height) / (HERO.width * HERO.height) : 0
}

/** Whether the name of one of two heroes lies over the other's name or body. */
function hidesName(a: Point, b: Point): boolean {
  const [dx, dy] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)]
  return dy < NAME.height ? dx < NAME.width : dy < NAME.height + HERO.height && dx < (NAME.width + HERO.width) / 2
}

/**
 * The walk to a new slot, from where the hero is drawn now. For a hero that the place did not show before, it begins at
 * the point at which the hero walks or, in the country, at the end of the hero's road. null if the hero has no such
 * point or is there already.
 */
function wayTo(to: Point, h: Arrival, before: Slots, now: number): Way | null {
  const was = before.get(h.id)
  const stood = was && was.arrival.place === h.place && (was.arrival.room === null) === (h.room === null) ? was : null
  const from = stood ? seenAt(stood, now) : h.place === '' && before.size > 0 ? h : h.walks
  if (!from || (from.x === to.x && from.y === to.y)) return null
  const points = h.room ? wayIn(floorOf(h.room), from, to) : [{ x: from.x, y: from.y }, to]
  return { points, began: now, msPerTile: h.walks?.msPerTile ?? MS_PER_TILE }
}

/** The position at which a hero with this slot is drawn at the time now. */
export function seenAt({ x, y, way }: Slot, now: number): Point & { moving: boolean; direction?: Direction } {
  return way ? along(way, now) : { x, y, moving: false }
}

/** Stores the slots (the points at which heroes are drawn) from one frame to the next. */
export class Standers {
  #slots: Slots = new Map()

  at(heroes: readonly Arrival[], now: number): Slots {
    return (this.#slots = slotsOf(this.#slots, heroes, now))
  }
}
