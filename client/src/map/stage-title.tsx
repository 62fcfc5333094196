// The title of a stage over the map: its number, name and goal, for some seconds after it has begun.
import type { RealmModel } from '../state/model'
import type { ShownTitle } from '../screens/use-stage-title'
import { firstSentence } from '../panels/cut'
import { words } from '../words'
import './stage-title.css'

interface Props {
  realm: RealmModel
  title: ShownTitle
}

export function StageTitle({ realm, title: { shown, close } }: Props) {
  const stages = realm.world.processState.template?.stages ?? []
  const stage = shown === null ? undefined : stages[shown]
  if (!stage || shown === null) return null
  return (
    <div class="stage-title" data-testid="stage-title" data-stage={stage.id}>
      <p class="stage-title-name">
        <span class="stage-at">{words.stage.at(shown + 1, stages.length)}</span> <strong>{stage.name}</strong>
      </p>
      <p class="stage-title-goal">{firstSentence(stage.goal)}</p>
      <button
        type="button"
        class="icon-button"
        aria-label={words.stage.closeTitle}
        title={words.stage.closeTitle}
        data-testid="stage-title-close"
        onClick={close}
      >
        ×
      </button>
    </div>
  )
}
