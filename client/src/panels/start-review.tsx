// A button that starts a review by scouts. It is shown if the linked folder was never reviewed.
import { reviewToStart } from '../state/guide'
import { startWords } from '../words-start'
import { useApp } from './context'
import { useSelect } from './use-select'

export function StartReview() {
  const app = useApp()
  const template = useSelect(() => reviewToStart(app.model), [app])
  const name = app.model.realm?.world.realm.name ?? ''
  if (template === null || !app.host.value) return null
  const asked = app.pending.value.some((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')
  return (
    <button
      type="button"
      class="small primary"
      data-testid="start-review"
      disabled={asked}
      onClick={() => {
        app.discardRefused('player:start-process')
        app.startProcess(startWords.problem(name), template.id)
      }}
    >
      {startWords.startReview}
    </button>
  )
}
