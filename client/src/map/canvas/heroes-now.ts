// The position, pose and light of each hero at a point in time. Pure; read by the drawing and by the debug hook.
import type { Site } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import type { Hero } from './heroes'
import { cutOff, speech } from './speech'
import { heroFrame, outlineOf, poseOf } from './pose'
import { siteOf, textHash } from './terrain'
import type { WalkClock } from './walking'

export interface HeroNow extends Hero {
  /** null on the overworld. */
  room: string | null
  page: number
  says: string | undefined
}

export function heroesNow(r: RealmModel, clock: WalkClock, now: number, still: boolean): HeroNow[] {
  const says = speech(r)
  const cut = cutOff(r)
  const done = r.world.processState.status === 'completed'
  return r.world.agents.map((a) => {
    const p = clock.position(a, now)
    const said = says.get(a.id)
    const pose = poseOf(a, { speaks: said !== undefined && !isHeld(a), cut: cut.has(a.id), done })
    return {
      id: a.id,
      name: a.displayName,
      color: a.color,
      x: p.x,
      y: p.y,
      room: p.room,
      page: a.page ?? 0,
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
