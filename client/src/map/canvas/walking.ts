// The position of a hero at a point in time, and the direction in which it looks. A walk starts on the page's clock
// when the page receives it or, if the hero stands at a file, after the hero has stood there for some seconds. After an
// attach, the places from the server say how far each hero has walked (P10.9). The time is a parameter.
import type { Agent, Place, Point, Walk } from '../../net/protocol.gen'

export type Direction = 'down' | 'left' | 'right' | 'up'

export interface Position {
  /** The folder of the hero's room; null in the country. */
  room: string | null
  /** The position in tiles. It has fractions while the hero walks. */
  x: number
  y: number
  direction: Direction
  moving: boolean
  /** The page of the room. */
  page: number
  /** The file or folder at which the hero stands or to which it walks; '' for none. */
  file: string
  /** Where the walk ends, and its time for a tile in milliseconds; absent if the hero stands. */
  walk?: { end: { x: number; y: number }; msPerTile: number }
}

/** The shortest time that a hero stands at a file before the page shows its next walk, in milliseconds. */
const READ_MS = 4_000
/**
 * The shortest time that a hero stands before the page shows a walk to no file, in milliseconds, while a process
 * runs. It is longer than READ_MS, because such a walk shows nothing new.
 */
const STAY_MS = 60_000
/** The maximum time that the page shows for a walk to a file, in milliseconds; a longer walk is shown faster. */
const WALK_MS = 4_000

/**
 * An agent as it was when it began a walk. home: whether the page computed the walk, because the server sent none.
 */
type Leg = Agent & { home?: boolean }

/**
 * Finds a walk for an agent that the server moved without one: from the position that is shown to the agent's
 * position; null for none.
 */
type WayHome = (from: Position, to: Agent) => Walk | null

/**
 * The walk of a hero that the page shows: its start on this page's clock, its end (Infinity while the walk goes
 * on), and the later walks of the server that wait.
 */
interface Shown {
  /** The agent in the newest state that the server has sent. */
  agent: Agent
  leg: Leg
  origin: number
  over: number
  waiting: Leg[]
}

/**
 * Stores what the page shows of each hero. The server's heroes can read a file in a moment, but the page shows them
 * at the file for some seconds. So the page can be behind the server.
 */
export class WalkClock {
  readonly #shown = new Map<string, Shown>()
  #attach: string | null = null
  #busy = false
  #wayHome: WayHome = () => null

  /**
   * Takes the current agents. attach: a text that differs each time that the page begins to watch the realm, also after
   * a reconnect. places: where walking agents were at that time. busy: whether a process runs. wayHome: finds a walk
   * for a hero that the server moved without one, such as home from its process.
   */
  follow(
    attach: string,
    agents: readonly Agent[],
    places: Readonly<Record<string, Place>>,
    now: number,
    busy = false,
    wayHome: WayHome = () => null,
  ): void {
    this.#wayHome = wayHome
    const attached = attach !== this.#attach
    this.#attach = attach
    this.#busy = busy
    for (const a of agents) {
      const known = this.#shown.get(a.id)
      if (attached || !known) {
        const place = places[a.id]
        const at = a.walk && place ? indexOf(a.walk, place) : -1
        const origin = a.walk && at >= 0 ? now - at * msPerTile(a.walk) : now
        const over = at >= 0 || (a.walk && !attached) ? Infinity : -Infinity
        this.#shown.set(a.id, { agent: a, leg: a, origin, over, waiting: [] })
        continue
      }
      if (known.agent !== a) queue(known, a)
      known.agent = a
      this.#goOn(known, now)
    }
    const here = new Set(agents.map((a) => a.id))
    for (const id of this.#shown.keys()) if (!here.has(id)) this.#shown.delete(id)
  }

  position(a: Agent, now: number): Position {
    const known = this.#shown.get(a.id)
    if (!known) return rest(a)
    this.#goOn(known, now)
    const { leg, origin, over } = known
    return !leg.walk || over <= now ? rest(leg) : positionOn(leg, leg.walk, now - origin)
  }

  /** Whether the page shows each hero at the end of its last walk at the time now, so that none begins to walk. */
  rests(now: number): boolean {
    return [...this.#shown.values()].every((s) => s.waiting.length === 0 && s.over <= now)
  }

  /** Begins the next waiting walk if the hero has stood long enough at the end of its last one. */
  #goOn(s: Shown, now: number): void {
    if (s.leg.walk && s.over > now && !positionOn(s.leg, s.leg.walk, now - s.origin).moving) s.over = now
    if (!s.leg.walk) s.over = Math.min(s.over, now)
    const next = s.waiting[0]
    if (!next || (!turnsRound(s.leg, next) && (s.over > now || now < s.over + this.#stays(s, next)))) return
    s.waiting.shift()
    const walk = next.walk ? null : this.#wayHome(rest(s.leg), next)
    s.leg = walk ? { ...next, walk, home: true } : next
    s.origin = now
    s.over = Infinity
  }

  #stays({ leg, waiting }: Shown, next: Leg): number {
    if (!isAtFile(leg)) return 0
    return this.#busy && waiting.length === 1 && !isAtFile(next) ? STAY_MS : READ_MS
  }
}

/** Takes the current state of an agent. A new walk waits until the page can show it. */
function queue(known: Shown, a: Agent): void {
  const last = known.waiting.at(-1) ?? known.leg
  if (keyOf(last) !== keyOf(a)) {
    // A walk to a file overtakes all that wait, so that the map is soon where the roster is; a walk to no file
    // overtakes only its like.
    known.waiting = isAtFile(a) ? [a] : [...known.waiting.filter(isAtFile), a]
  } else if (known.waiting.length > 0) known.waiting[known.waiting.length - 1] = a
  else known.leg = known.leg.home ? { ...a, walk: known.leg.walk!, home: true } : a
}

/** Whether the agent's walk leads to a file or a folder. */
function isAtFile(a: Agent): boolean {
  return a.inside === true && !!a.walk?.target
}

function keyOf({ walk: w, home }: Leg): string {
  return w && !home ? `${w.startsAt}|${w.arrivesAt}|${w.path.length}|${w.room.length}` : ''
}

/**
 * How long the page shows a hero on each tile, in milliseconds. A walk to no file keeps the server's speed, because
 * the hero can turn round at any tile and must then be where the server has it.
 */
function msPerTile(w: Walk): number {
  return Math.max(1, w.target ? Math.min(w.msPerTile, WALK_MS / (w.path.length + w.room.length)) : w.msPerTile)
}

/** Whether the current walk leads to no file, and the next one starts on its way and leads to a file. */
function turnsRound({ walk }: Leg, next: Leg): boolean {
  const from = next.walk?.path[0]
  return (
    !!walk && !walk.target && isAtFile(next) && !!from && walk.path.some(([x, y]) => x === from[0] && y === from[1])
  )
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
    ...goal(a),
  }
}

function goal(a: Agent): Pick<Position, 'page' | 'file'> {
  return { page: a.page ?? 0, file: a.inside ? (a.walk?.target ?? '') : '' }
}

/** The position of the hero a when the walk w has lasted elapsed milliseconds. */
export function positionOn(a: Agent, w: Walk, elapsed: number): Position {
  const count = w.path.length + w.room.length
  const step = Math.max(0, elapsed) / msPerTile(w)
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
    walk: { end: { x: a.x, y: a.y }, msPerTile: msPerTile(w) },
    ...goal(a),
  }
}

export function heading(from: readonly number[] | undefined, to: readonly number[] | undefined): Direction {
  if (!from || !to) return 'down'
  const dx = to[0]! - from[0]!
  const dy = to[1]! - from[1]!
  if (Math.abs(dx) > Math.abs(dy)) return dx < 0 ? 'left' : 'right'
  return dy < 0 ? 'up' : 'down'
}
