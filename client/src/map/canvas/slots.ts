// The slots of heroes: where each hero stands in its room. The server gives each a tile, but a hero is drawn one and a
// half tiles wide and two high, so heroes on adjacent tiles would hide one another. A hero has its slot from its
// arrival until it goes to another file or leaves the room, and nobody else moves because of it. Pure: the slots
// follow from those before and from the heroes.
import type { Room } from '../../net/protocol.gen'
import { along, floorOf, isFree, wayIn, type Floor, type Way } from './floor'
import type { Direction } from './walking'

/** A hero that stands in a room or in the country, or walks through its room. */
export interface Arrival {
  id: string
  /** The same text for all heroes on one page of a room, or in the country. */
  place: string
  /** The room; null in the country, and if the page does not have it. */
  room: Room | null
  /** Where it stands or where its walk ends, in tiles. */
  x: number
  y: number
  /** The file or folder that the hero reads; '' for none. */
  file: string
  /** When the hero arrives. Of heroes that are new in the same frame, who arrives first chooses first. */
  since: string
  /** Where the hero walks now, and its time for a tile in milliseconds; null if it stands. */
  walks: { x: number; y: number; msPerTile: number } | null
}

export interface Slot {
  arrival: Arrival
  x: number
  y: number
  /** The walk to the slot; null for none. */
  way: Way | null
}

export type Slots = ReadonlyMap<string, Slot>

interface Point {
  x: number
  y: number
}

/** The size of a drawn hero in tiles. */
const HERO = { width: 1.5, height: 2 } as const
/** The width of a hero's name, in tiles, when a name can be read. It stands below the feet. */
const NAME = { width: 3, height: 1 } as const
/** Heroes stand at most so many tiles away from what they read, along each axis, if a slot there hides nobody. */
const REACH = 4
/** The width of the heading of a part, in tiles from the left wall. */
const HEADING = 6
/** What it costs to stand at a point. hero: for another hero of whom all is hidden. step: for a tile of distance. */
const COSTS = { hero: 120, thing: 30, heading: 10, name: 5, step: 2 } as const
/** A hero of whom a larger part is hidden cannot be told from the other one. */
const MOST_HIDDEN = 0.5
/** In the country: the offsets that are tried, in tiles. */
const BESIDE = [0, 1.5, -1.5, 3, -3, 4.5, -4.5] as const
/** The time for a tile of a hero that the server has moved without a walk, in milliseconds. */
const MS_PER_TILE = 150

/** The slots of the heroes at the time now. Returns those before if no hero has come, gone or moved on. */
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

/** Whether the hero still has its slot. A room that has changed takes away only slots that are not free any more. */
function keeps(slot: Slot | undefined, h: Arrival): boolean {
  if (!slot) return false
  const was = slot.arrival
  if (was.x !== h.x || was.y !== h.y || was.file !== h.file || was.place !== h.place) return false
  return was.room === h.room || (was.room !== null && h.room !== null && isFree(floorOf(h.room), slot))
}

function byArrival(a: Arrival, b: Arrival): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function outdoors({ x, y }: Arrival, others: readonly Point[]): Point {
  const free = BESIDE.find((dx) => others.every((o) => hidden({ x: x + dx, y }, o) === 0))
  return { x: x + (free ?? 0), y }
}

/** The point that costs least: near what the hero reads or, if a hero would hide another there, in the whole room. */
function indoors(h: Arrival, room: Room, others: readonly Point[]): Point {
  const floor = floorOf(room)
  const read = (room.objects ?? []).find((o) => o.path === h.file) ?? h
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

/** How much of the hero at one point a hero at the other hides, 0 to 1. */
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
 * The walk to a new slot: from where the hero is seen now, in the country from the end of its road. Who was not seen in
 * the place before has none.
 */
function wayTo(to: Point, h: Arrival, before: Slots, now: number): Way | null {
  const was = before.get(h.id)
  const stood = was && was.arrival.place === h.place && (was.arrival.room === null) === (h.room === null) ? was : null
  const from = stood ? seenAt(stood, now) : h.place === '' && before.size > 0 ? h : h.walks
  if (!from || (from.x === to.x && from.y === to.y)) return null
  const points = h.room ? wayIn(floorOf(h.room), from, to) : [{ x: from.x, y: from.y }, to]
  return { points, began: now, msPerTile: h.walks?.msPerTile ?? MS_PER_TILE }
}

/** Where a hero is drawn that has a slot. */
export function seenAt({ x, y, way }: Slot, now: number): Point & { moving: boolean; direction?: Direction } {
  return way ? along(way, now) : { x, y, moving: false }
}

/** Keeps the slots of the heroes from frame to frame. */
export class Standers {
  #slots: Slots = new Map()

  at(heroes: readonly Arrival[], now: number): Slots {
    return (this.#slots = slotsOf(this.#slots, heroes, now))
  }
}
