// The place that the map shows: the director chooses it until the person moves the map; from then on the person
// does.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import type { Place } from '../canvas/place'
import type { Stage } from '../canvas/stage'
import type { Navigation } from '../navigation'
import type { Shot } from './direct'
import { useDirector } from './use-director'
import { useLoaded } from './use-loaded'

export interface Scene {
  /** What the director shows; null while the person controls the camera. */
  shot: Shot | null
  place: Place
  /** Gives the camera to the person, who continues from the current view. */
  take: () => void
  /** Shows another page of the room. */
  leaf: (page: number) => void
}

export function useScene(realm: RealmModel, navigation: Navigation, stage: Stage | null): Scene {
  const { watching } = useApp()
  const shot = useLoaded(realm, useDirector(realm, stage))
  const { inside, path } = navigation
  const [leafed, setLeafed] = useState({ path: '', page: 0 })
  const room = shot ? (shot.place?.path ?? null) : inside ? path : null
  const page = shot ? (shot.place?.page ?? 0) : leafed.path === path ? leafed.page : 0
  const place = useMemo((): Place => (room === null ? null : { path: room, page }), [room, page])
  const aim = shot ? shot.hero : null
  useEffect(() => stage?.show(place), [stage, place])
  useEffect(() => stage?.aim(aim), [stage, aim])
  const now = useRef({ shot, inside, path, place })
  now.current = { shot, inside, path, place }
  const take = useCallback(() => {
    if (!watching.directed.peek()) return
    const { shot, inside, path } = now.current
    if (shot?.place) {
      setLeafed(shot.place)
      if (!inside || path !== shot.place.path) navigation.go(shot.place.path)
    } else if (shot && inside) navigation.leave()
    watching.take()
  }, [watching, navigation])
  const leaf = useCallback(
    (to: number) => {
      take()
      setLeafed({ path: now.current.place?.path ?? '', page: to })
    },
    [take],
  )
  return { shot, place, take, leaf }
}
