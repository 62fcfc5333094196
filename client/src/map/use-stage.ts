// Loads the drawing of the map and updates it by an effect, so that no component renders while heroes walk.
import { effect } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useViewport } from '../screens/viewport'
import type { RealmModel } from '../state/model'
import { sealedFor } from '../state/sealed'
import type { Pick, Stage } from './canvas/stage'

interface Use {
  realm: RealmModel
  onPick: (p: Pick | null) => void
  onFail: () => void
}

/** Returns the drawn map (a Stage); null until it is loaded. */
export function useStage(box: RefObject<HTMLDivElement | null>, use: Use): Stage | null {
  const { realm } = use
  const app = useApp()
  const [stage, setStage] = useState<Stage | null>(null)
  const { calm, light } = useViewport()
  const theme = app.theme.value
  const now = useRef(use)
  now.current = use
  useEffect(() => {
    let gone = false
    let made: Stage | null = null
    const failed = () => now.current.onFail()
    import('./canvas/stage')
      .then(({ Stage }) => {
        if (gone || !box.current) return
        made = new Stage(box.current, '/atlas', (p) => now.current.onPick(p), failed)
        setStage(made)
        app.exposeMap(() => made?.state ?? null)
      })
      .catch(failed)
    return () => {
      gone = true
      app.exposeMap(() => null)
      made?.destroy()
    }
  }, [app, box])
  useEffect(() => {
    if (!stage) return
    return effect(() => {
      touch(realm)
      stage.update(realm, `${realm.id} ${realm.attached}`, calm, sealedFor(app.model))
    })
  }, [app, stage, realm, calm])
  useEffect(() => {
    if (stage) stage.retone()
  }, [stage, theme, light])
  const speed = app.speechSpeed.value
  useEffect(() => {
    if (stage) stage.speed = speed
  }, [stage, speed])
  return stage
}

/** Reads every signal that the drawing depends on, so that the effect runs when one of them changes. */
function touch({ world, rooms, places, views, streams, moment }: RealmModel): void {
  const { realm, agents, country, fog, forts, paths, findings, collisions, processState } = world
  void [
    moment,
    rooms,
    places,
    views,
    streams,
    realm,
    agents,
    country,
    fog,
    forts,
    paths,
    findings,
    collisions,
    processState,
  ]
}
