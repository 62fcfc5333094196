// The position, pose and light of each hero at a point in time, for the drawing and for the debug hook.
import type { Agent, Site } from '../../net/protocol.gen'
import { heroesOf } from '../../state/heroes'
import { roomKey, type RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import { colorOf, heroName } from '../../state/select'
import type { Hero } from './heroes'
import { cutOff, heldWords } from './speech'
import { heroFrame, outlineOf, poseOf } from './pose'
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

export function heroesNow(
  r: RealmModel,
  { clock, slots, spoken }: { clock: WalkClock; slots: Standers; spoken: Spoken },
  now: number,
  still: boolean,
): HeroNow[] {
  const says = spoken.says(now)
  const waits = heldWords(r)
  const cut = cutOff(r)
  const { status } = r.world.processState
  const heroes = heroesOf(r.world)
  const places = standing(r, heroes, clock, slots, now)
  return heroes.map((a, i) => {
    const p = places[i]!
    const said = waits.get(a.id) ?? says.get(a.id)
    const reads = p.room !== null && p.file !== '' && (status === 'running' || a.status === 'running')
    const speaks = said !== undefined && !isHeld(a)
    const pose = poseOf(a, { speaks, reads, cut: cut.has(a.id), done: status === 'completed' })
    return {
      id: a.id,
      name: heroName(r, a),
      color: colorOf(r, a.id) ?? a.color,
      x: p.x,
      y: p.y,
      room: p.room,
      page: p.page,
      file: p.file,
      frame: heroFrame(outlineOf(a), p, pose, now + (textHash(a.id) % 1000), still),
      moving: p.moving,
      lit: a.status === 'running',
      says: said,
    }
  })
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
