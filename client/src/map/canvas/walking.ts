// The position of a hero at a point in time. A walk starts when the page receives it, on the page's clock.
// After an attach, the places that the server sent say how far each hero has walked (P10.9). Pure: the time is a
// parameter.
import type { Agent, Place, Point, Walk } from '../../net/protocol.gen'

export type Direction = 'down' | 'left' | 'right' | 'up'

export interface Position {
  /** The folder of the hero's room; null on the overworld. */
  room: string | null
  /** The position in tiles. It has fractions while the hero walks. */
  x: number
  y: number
  direction: Direction
  moving: boolean
}

/**
 * A walk, and the time when it started on this page's clock. over: whether the hero has reached the end of the walk.
 */
interface Known {
  key: string
  origin: number
  over: boolean
}

/** Remembers when each hero's walk started on this page's clock. */
export class WalkClock {
  readonly #known = new Map<string, Known>()
  #attach: string | null = null

  /**
   * Takes the current agents. attach: a text that differs after each attach. places: where walking agents were at that
   * attach.
   */
  follow(attach: string, agents: readonly Agent[], places: Readonly<Record<string, Place>>, now: number): void {
    const attached = attach !== this.#attach
    this.#attach = attach
    for (const a of agents) {
      const key = keyOf(a.walk)
      const known = this.#known.get(a.id)
      if (!attached && known?.key === key) continue
      const place = places[a.id]
      const at = a.walk && place ? indexOf(a.walk, place) : -1
      if (a.walk && at >= 0 && (attached || known?.key !== key))
        this.#known.set(a.id, { key, origin: now - at * a.walk.msPerTile, over: false })
      else this.#known.set(a.id, { key, origin: now, over: attached || !a.walk })
    }
    const here = new Set(agents.map((a) => a.id))
    for (const id of this.#known.keys()) if (!here.has(id)) this.#known.delete(id)
  }

  position(a: Agent, now: number): Position {
    const known = this.#known.get(a.id)
    if (!a.walk || !known || known.over || known.key !== keyOf(a.walk)) return rest(a)
    const at = positionOn(a, a.walk, now - known.origin)
    if (!at.moving) known.over = true
    return at
  }
}

function keyOf(w: Walk | undefined): string {
  return w ? `${w.startsAt}|${w.arrivesAt}|${w.path.length}|${w.room.length}` : ''
}

/** The number of tiles from the start of the walk w to the place p; -1 if w does not lead over p. */
export function indexOf(w: Walk, p: Place): number {
  const same = ([x, y]: Point): boolean => x === p.x && y === p.y
  if (!p.inside) return w.path.findIndex(same)
  const i = w.room.findIndex(same)
  return i < 0 ? -1 : w.path.length + i
}

function rest(a: Agent): Position {
  const tiles = a.walk ? (a.inside ? a.walk.room : a.walk.path) : []
  return {
    room: a.inside ? a.realm : null,
    x: a.x,
    y: a.y,
    direction: heading(tiles.at(-2), tiles.at(-1)),
    moving: false,
  }
}

/** The position of the hero a when the walk w has lasted elapsed milliseconds. */
export function positionOn(a: Agent, w: Walk, elapsed: number): Position {
  const count = w.path.length + w.room.length
  const step = Math.max(0, elapsed) / Math.max(1, w.msPerTile)
  const i = Math.floor(step)
  if (i >= count - 1) return rest(a)
  const onRoad = i < w.path.length
  const tiles = onRoad ? w.path : w.room
  const at = onRoad ? i : i - w.path.length
  const from = tiles[at]!
  const to = tiles[at + 1] ?? from
  const part = step - i
  return {
    room: onRoad ? null : a.realm,
    x: from[0] + (to[0] - from[0]) * part,
    y: from[1] + (to[1] - from[1]) * part,
    direction: heading(tiles[at + 1] ? from : tiles[at - 1], to),
    moving: true,
  }
}

export function heading(from: readonly number[] | undefined, to: readonly number[] | undefined): Direction {
  if (!from || !to) return 'down'
  const dx = to[0]! - from[0]!
  const dy = to[1]! - from[1]!
  if (Math.abs(dx) > Math.abs(dy)) return dx < 0 ? 'left' : 'right'
  return dy < 0 ? 'up' : 'down'
}
