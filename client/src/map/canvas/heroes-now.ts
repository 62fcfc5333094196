// The position, pose and light of each hero at a point in time. Pure; read by the drawing and by the debug hook.
import type { Site } from '../../net/protocol.gen'
import { heroesOf } from '../../state/heroes'
import type { RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import type { Hero } from './heroes'
import { cutOff, heldWords } from './speech'
import { heroFrame, outlineOf, poseOf } from './pose'
import type { Spoken } from './spoken'
import { siteOf, textHash } from './terrain'
import type { WalkClock } from './walking'

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
  return heroesOf(r.world).map((a) => {
    const p = clock.position(a, now)
    const said = waits.get(a.id) ?? says.get(a.id)
    const reads = p.room !== null && p.file !== '' && (status === 'running' || a.status === 'running')
    const speaks = said !== undefined && !isHeld(a)
    const pose = poseOf(a, { speaks, reads, cut: cut.has(a.id), done: status === 'completed' })
    return {
      id: a.id,
      name: a.displayName,
      color: a.color,
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

/** How many heroes are in the rooms below each site, by the site's path. */
export function inside(heroes: readonly HeroNow[], sites: readonly Site[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const h of heroes) {
    const site = h.room === null ? undefined : siteOf(sites, h.room)
    if (site) out.set(site.path, (out.get(site.path) ?? 0) + 1)
  }
  return out
}
