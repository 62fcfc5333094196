// Shows the title of the stage over the map, or in the stage bar on a phone, whose map is too small for the title.
import type { ComponentChild } from 'preact'
import { StageTitle } from '../map/stage-title'
import type { RealmModel } from '../state/model'
import { useLayout } from './viewport'
import { useStageTitle } from './use-stage-title'

interface Places {
  onMap: ComponentChild
  inBar: ComponentChild
}

/**
 * mapShown: whether the map is visible. finished: whether the result of the process is shown; then no title is
 * shown.
 */
export function useTitlePlace(realm: RealmModel, mapShown: boolean, finished: boolean): Places {
  const phone = useLayout() === 'phone'
  const title = useStageTitle(realm, (phone || mapShown) && !finished)
  const titled = <StageTitle realm={realm} title={title} />
  return { onMap: !phone && titled, inBar: phone && titled }
}
