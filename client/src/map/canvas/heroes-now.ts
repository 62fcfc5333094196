// The position, pose and light of each hero at a point in time, for the drawing and for the debug hook.
import type { Agent, Site } from '../../net/protocol.gen'
import { heroesOf } from '../../state/heroes'
import { roomKey, type RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import { colorOf, heroName } from '../../state/select'
import type { Hero } from './heroes'
import { cutOff, heldWords } from './speech'
import { heroFrame, outlineOf, poseOf, type Pose } from './pose'
import { seenAt, type Arrival, type Standers } from './slots'
import type { Spoken } from './spoken'
import { siteOf, textHash } from './terrain'
import type { Position, WalkClock } from './walking'

export interface HeroNow extends Hero {
  /** The folder of the hero's room; null in the country. */
  room: string | null
  page: number
  /** The file at which the hero stands or to which it walks; '' for none. */
  file: string
  says: string | undefined
}

/** What is known of the heroes from one frame to the next: their walks, where they are drawn and what they say. */
interface Known {
  clock: WalkClock
  slots: Standers
  spoken: Spoken
}

/** How a hero looks, whatever its animation shows at the moment. */
interface Look {
  agent: Agent
  at: Position
  pose: Pose | null
  /** The words over the hero; undefined for none. */
  said: string | undefined
}

/** The heroes of a frame and what they were computed from. */
interface Computed {
  realm: RealmModel
  says: ReadonlyMap<string, string>
  looks: readonly Look[]
  heroes: HeroNow[]
}

/**
 * Computes the heroes of each frame. While no hero walks or begins to walk, and the realm and the speech are the same,
 * only the frame of each animation is computed again.
 */
export class HeroesNow {
  readonly #known: Known
  #last: Computed | null = null

  constructor(known: Known) {
    this.#known = known
  }

  /** The heroes at the time now. still: whether motion is turned off. */
  at(realm: RealmModel, now: number, still: boolean): HeroNow[] {
    const says = this.#known.spoken.says(now)
    const last = this.#last
    const rests = last?.realm === realm && areSame(last.says, says) && this.#rests(last, now)
    const looks = rests ? last.looks : this.#looks(realm, says, now)
    const heroes = looks.map((l, i): HeroNow => {
      const frame = heroFrame(outlineOf(l.agent), l.at, l.pose, now + (textHash(l.agent.id) % 1000), still)
      const was = rests ? last.heroes[i]! : null
      if (!was) return heroOf(realm, l, frame)
      return was.frame === frame ? was : { ...was, frame }
    })
    this.#last = { realm, says, looks, heroes }
    return heroes
  }

  /** Whether no hero walked in the last frame, and none begins to walk. */
  #rests({ looks }: Computed, now: number): boolean {
    return this.#known.clock.rests(now) && !looks.some((l) => l.at.moving)
  }

  #looks(r: RealmModel, says: ReadonlyMap<string, string>, now: number): Look[] {
    const { clock, slots } = this.#known
    const waits = heldWords(r)
    const cut = cutOff(r)
    const { status } = r.world.processState
    const agents = heroesOf(r.world)
    const places = standing(r, agents, clock, slots, now)
    return agents.map((agent, i) => {
      const at = places[i]!
      const said = waits.get(agent.id) ?? says.get(agent.id)
      const reads = at.room !== null && at.file !== '' && (status === 'running' || agent.status === 'running')
      const speaks = said !== undefined && !isHeld(agent)
      return {
        agent,
        at,
        said,
        pose: poseOf(agent, { speaks, reads, cut: cut.has(agent.id), done: status === 'completed' }),
      }
    })
  }
}

function heroOf(r: RealmModel, { agent: a, at: p, said }: Look, frame: string): HeroNow {
  return {
    id: a.id,
    name: heroName(r, a),
    color: colorOf(r, a.id) ?? a.color,
    x: p.x,
    y: p.y,
    room: p.room,
    page: p.page,
    file: p.file,
    frame,
    moving: p.moving,
    lit: a.status === 'running',
    failed: a.state?.testsFailed != null,
    says: said,
  }
}

function areSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([id, text]) => b.get(id) === text)
}

/** Whether two lists have the same heroes in the same places, with the same names, colours and words. */
export function alike(a: readonly HeroNow[], b: readonly HeroNow[]): boolean {
  return a.length === b.length && a.every((h, i) => isAlike(h, b[i]!))
}

function isAlike(a: HeroNow, b: HeroNow): boolean {
  const same = a.id === b.id && a.name === b.name && a.color === b.color && a.says === b.says
  const place = a.x === b.x && a.y === b.y && a.room === b.room && a.page === b.page && a.file === b.file
  return same && place && a.moving === b.moving
}

/** The distance in tiles at which a sub-agent walks beside its parent on a road. */
const BESIDE = 1.5

/**
 * Returns the position at which each hero is drawn. For a hero that stands or walks through a room it is a slot (see
 * slots.ts), so that heroes do not hide one another. A sub-agent that is at no file is drawn beside its parent.
 */
function standing(r: RealmModel, heroes: readonly Agent[], clock: WalkClock, slots: Standers, now: number): Position[] {
  const own = new Map(heroes.map((a) => [a.id, clock.position(a, now)]))
  const parents = new Map((r.world.sessions ?? []).flatMap((s) => (s.parent ? [[s.agentId, s.parent] as const] : [])))
  const arrivals: Arrival[] = []
  const shown = heroes.map((a): Position => {
    const at = own.get(a.id)!
    const parent = at.moving || at.file !== '' ? undefined : own.get(parents.get(a.id) ?? '')
    const p = parent ? { ...parent, file: '' } : at
    // A sub-agent is sorted after its parent, so that the parent gets the better of their two slots (see slots.ts).
    const since = parent ? '~' : (a.walk?.arrivesAt ?? '')
    if (p.room !== null || !p.moving) arrivals.push(arrival(r, a.id, p, since))
    return p.room === null && p.moving && parent ? { ...p, x: p.x + BESIDE } : p
  })
  const at = slots.at(arrivals, now)
  return shown.map((p, i) => {
    const slot = at.get(heroes[i]!.id)
    return slot ? { ...p, ...seenAt(slot, now) } : p
  })
}

function arrival(r: RealmModel, id: string, p: Position, since: string): Arrival {
  const place = p.room === null ? '' : roomKey(p.room, p.page)
  const { x, y } = p.walk?.end ?? p
  const walks = p.walk ? { x: p.x, y: p.y, msPerTile: p.walk.msPerTile } : null
  const room = p.room === null ? null : (r.rooms[place]?.room ?? null)
  return { id, place, room, x, y, file: p.file, since, walks }
}

/** The number of heroes in the rooms below each site, by the site's path. */
export function inside(heroes: readonly HeroNow[], sites: readonly Site[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const h of heroes) {
    const site = h.room === null ? undefined : siteOf(sites, h.room)
    if (site) out.set(site.path, (out.get(site.path) ?? 0) + 1)
  }
  return out
}
