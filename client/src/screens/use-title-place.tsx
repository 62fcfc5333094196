// Shows the title of the stage over the map of a desk. On a tablet and a phone, whose map it would cover, the title
// takes the place of the text in the stage bar.
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
  const layout = useLayout()
  const desk = layout === 'desk'
  const title = useStageTitle(realm, (layout === 'phone' || mapShown) && !finished)
  const titled = <StageTitle realm={realm} title={title} />
  return { onMap: desk && titled, inBar: !desk && titled }
}
