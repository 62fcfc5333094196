// The floor of a room: the tiles on which heroes can stand and walk, and the ways over them. Pure.
import type { Room } from '../../net/protocol.gen'
import { shortestPath } from './path'
import { heading, type Direction } from './walking'

interface Point {
  x: number
  y: number
}

export interface Floor {
  width: number
  height: number
  /** For each tile, row by row: 1 if nobody can stand on it. */
  taken: Uint8Array
  /** The positions of the files and doors. */
  things: readonly Point[]
}

/**
 * A walk of a hero, which takes msPerTile from each point to the next. began: the start of the walk on the page's
 * clock, in milliseconds.
 */
export interface Way {
  points: readonly Point[]
  began: number
  msPerTile: number
}

const known = new WeakMap<Room, Floor>()

export function floorOf(room: Room): Floor {
  const found = known.get(room)
  if (found) return found
  const { width, height, objects = [], doors = [], walls = [] } = room
  const taken = new Uint8Array(width * height).fill(1)
  for (let y = 1; y < height - 1; y++) taken.fill(0, y * width + 1, (y + 1) * width - 1)
  const things = [...objects, ...doors].map(({ x, y }) => ({ x, y }))
  for (const { x, y } of things) taken[y * width + x] = 1
  for (const [x, y] of walls) taken[y * width + x] = 1
  const floor = { width, height, taken, things }
  known.set(room, floor)
  return floor
}

/** Whether a hero can stand at a point, which can be between two tiles of a row. */
export function isFree({ width, height, taken }: Floor, { x, y }: Point): boolean {
  if (x < 0 || y < 0 || x > width - 1 || y > height - 1) return false
  return !taken[y * width + Math.floor(x)] && !taken[y * width + Math.ceil(x)]
}

/**
 * The points of the shortest way from one point to another; only these two points if there is no way over the tiles.
 */
export function wayIn({ width, height, taken }: Floor, from: Point, to: Point): Point[] {
  const tile = ({ x, y }: Point): [number, number] => {
    const inside = (at: number, size: number): number => Math.min(size - 1, Math.max(0, Math.round(at)))
    return [inside(x, width), inside(y, height)]
  }
  const path = shortestPath({ width, height, blocked: taken }, tile(from), tile(to))
  const between = path?.slice(1, -1).map(([x, y]) => ({ x, y })) ?? []
  return [from, ...between, to]
}

/** The position of a hero on a walk at a time, and whether the hero still walks. */
export function along(
  { points, began, msPerTile }: Way,
  now: number,
): Point & { direction: Direction; moving: boolean } {
  const step = Math.max(0, now - began) / msPerTile
  const i = Math.min(points.length - 2, Math.floor(step))
  const [from, to] = [points[i]!, points[i + 1]!]
  const part = Math.min(1, step - i)
  return {
    x: from.x + (to.x - from.x) * part,
    y: from.y + (to.y - from.y) * part,
    direction: heading([from.x, from.y], [to.x, to.y]),
    moving: step < points.length - 1,
  }
}
