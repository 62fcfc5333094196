// The position, pose and light of each hero at a point in time. Pure; read by the drawing and by the debug hook.
import type { Agent, Site } from '../../net/protocol.gen'
import { heroesOf } from '../../state/heroes'
import type { RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import { colorOf, heroName } from '../../state/select'
import type { Hero } from './heroes'
import { cutOff, heldWords } from './speech'
import { heroFrame, outlineOf, poseOf } from './pose'
import type { Spoken } from './spoken'
import { siteOf, textHash } from './terrain'
import type { Position, WalkClock } from './walking'

export interface HeroNow extends Hero {
  /** null on the overworld. */
  room: string | null
  page: number
  /** The file at which the hero stands or to which it walks; '' for none. */
  file: string
  says: string | undefined
}

export function heroesNow(r: RealmModel, clock: WalkClock, spoken: Spoken, now: number, still: boolean): HeroNow[] {
  const says = spoken.says(now)
  const waits = heldWords(r)
  const cut = cutOff(r)
  const { status } = r.world.processState
  const heroes = heroesOf(r.world)
  const places = standing(r, heroes, (a) => clock.position(a, now))
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

/** The offsets of heroes that share a tile, in tiles. */
const BESIDE = [0, 0.9, -0.9, 1.8, -1.8] as const

/**
 * The positions at which heroes are drawn. A sub-agent that is at no file is drawn beside its parent. The page can
 * show a hero's walk later than the server has it, so two heroes can get the same tile; then one is drawn beside
 * the other.
 */
function standing(r: RealmModel, heroes: readonly Agent[], of: (a: Agent) => Position): Position[] {
  const own = new Map(heroes.map((a) => [a.id, of(a)]))
  const parents = new Map((r.world.sessions ?? []).flatMap((s) => (s.parent ? [[s.agentId, s.parent] as const] : [])))
  const taken = new Map<string, number>()
  return heroes.map((a) => {
    const at = own.get(a.id)!
    const parent = at.moving || at.file !== '' ? undefined : own.get(parents.get(a.id) ?? '')
    const p = parent ? { ...parent, file: '' } : at
    if (p.moving && !parent) return p
    const key = `${p.room ?? ''} ${p.page} ${p.room === null} ${Math.round(p.x)} ${Math.round(p.y)}`
    const n = taken.get(key) ?? (parent ? 1 : 0)
    taken.set(key, n + 1)
    return { ...p, x: p.x + BESIDE[n % BESIDE.length]! }
  })
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
