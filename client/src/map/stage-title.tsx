// The title of a stage over the map: its number, name and goal, for some seconds after it has begun.
import type { RealmModel } from '../state/model'
import type { StageTitles } from '../screens/use-stage-titles'
import { words } from '../words'
import './stage-title.css'

interface Props {
  realm: RealmModel
  titles: StageTitles
}

export function StageTitle({ realm, titles: { shown, waiting, skip } }: Props) {
  const stages = realm.world.processState.template?.stages ?? []
  const stage = shown === null ? undefined : stages[shown]
  if (!stage || shown === null) return null
  return (
    <div class="stage-title" data-testid="stage-title" data-stage={stage.id} data-waiting={waiting}>
      <p class="stage-title-name">
        <span class="stage-at">{words.stage.at(shown + 1, stages.length)}</span> <strong>{stage.name}</strong>
      </p>
      <p class="stage-title-goal">{stage.goal}</p>
      <button type="button" class="small" data-testid="stage-title-skip" onClick={skip}>
        {waiting > 0 ? words.stage.skipTitles : words.stage.closeTitle}
      </button>
    </div>
  )
}
