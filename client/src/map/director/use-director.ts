// Runs the director while it is on: twice a second it reads the drawn heroes and decides which scene to show.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import type { Stage } from '../canvas/stage'
import { busyHeroes, candidates } from './candidates'
import { heroOf } from '../../state/heroes'
import { heroName } from '../../state/select'
import { direct, NOTHING, type Shot } from './direct'
import { Lately } from './lately'
import { News } from './news'
import { ticks } from './ticks'

/** How long the map says that a followed hero has left, before the director chooses scenes again, in milliseconds. */
const LEFT_MS = 6_000

/** Returns what the director shows; null while the director is off or has not decided yet. */
export function useDirector(realm: RealmModel, stage: Stage | null): Shot | null {
  const { watching, live } = useApp()
  const on = watching.directed.value
  const hero = watching.hero.value
  const [direction, setDirection] = useState(NOTHING)
  useEffect(() => {
    if (!stage || !on) return setDirection(NOTHING)
    const news = new News(realm.world.findings)
    const lately = new Lately()
    const known = hero === null ? undefined : heroOf(realm.world, hero)
    const followed = hero === null ? null : { id: hero, name: known ? heroName(realm, known) : hero }
    let left = 0
    return ticks(() => {
      if (!live.peek()) return // what has happened since is not known
      const now = performance.now()
      const heroes = stage.standing
      if (!heroes) return
      if (followed && !heroes.some((h) => h.id === followed.id)) {
        left ||= now
        if (now - left >= LEFT_MS) return watching.action()
      } else left = 0
      const found = news.take(realm.world.findings, heroes, now)
      const worked = lately.take(busyHeroes(realm, heroes), now)
      setDirection((d) => direct(d, candidates(realm, heroes, found, followed, worked), now, heroes))
    })
  }, [watching, live, realm, stage, on, hero])
  return on ? direction.shot : null
}
