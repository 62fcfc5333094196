// The second scene of the map: twice a second it reads the drawn heroes and decides which scene to show beside the main
// view.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { heroOf } from '../../state/heroes'
import type { RealmModel } from '../../state/model'
import { heroName } from '../../state/select'
import type { Stage } from '../canvas/stage'
import { candidates, type Standing } from './candidates'
import type { Candidate } from './direct'
import { News } from './news'
import { second, type Second } from './second'
import { ticks } from './ticks'

/** The second scene; null for none. main: the hero that the main view shows; '' or null for none. */
export function useSecond(realm: RealmModel, stage: Stage, main: string | null): Candidate | null {
  const { watching, live } = useApp()
  const on = watching.second.value
  const left = watching.left.value
  const [shown, setShown] = useState<Second | null>(null)
  useEffect(() => {
    if (!on) return setShown(null)
    const news = new News(realm.world.findings)
    return ticks(() => {
      const heroes = stage.standing
      if (!heroes || !live.peek()) return
      const now = performance.now()
      const found = news.take(realm.world.findings, heroes, now)
      const all = [...candidates(realm, heroes, found, null), ...followed(realm, heroes, left)]
      const inView = heroes.map((h) => (h.id === main ? { ...h, inView: true } : h))
      setShown((was) => second(was, all, inView, now))
    })
  }, [live, realm, stage, on, left, main])
  return shown?.scene ?? null
}

/** The scene of the hero that the camera followed before the person took it over. */
function followed(r: RealmModel, heroes: readonly Standing[], id: string | null): Candidate[] {
  const known = id === null ? undefined : heroOf(r.world, id)
  return known ? candidates(r, heroes, new Map(), { id: known.id, name: heroName(r, known) }) : []
}
