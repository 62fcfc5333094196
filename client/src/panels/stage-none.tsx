// The stage bar of a realm without a process: what a host can start. A folder that was never reviewed is reviewed by
// one click.
import { listConversations } from '../kinds/list-conversations'
import { words } from '../words'
import { scoutsOf } from '../words-driver'
import { startWords } from '../words-start'
import { useApp } from './context'
import { useSelect } from './use-select'
import { useReview } from './use-review'

export function StageNone({ onStart }: { onStart: () => void }) {
  const app = useApp()
  const host = app.host.value
  const review = useReview()
  const agents = useSelect(() => app.model.realm?.world.agents.some((a) => a.state) ?? false, [app])
  const talks = useSelect(
    () => listConversations(app.model).some((c) => c.running || c.asked || c.waitsFor !== ''),
    [app],
  )
  const first = agents ? '' : 'primary' // who watches agents at work came for them
  return (
    <section
      class={`stage-bar stage-none${review ? ' stage-offers' : ''}`}
      data-testid="stage-bar"
      aria-label={words.stage.label}
    >
      <p>
        {agents || talks ? words.stage.noneOther : words.stage.none}{' '}
        <span class="quiet">{host ? words.stage.noneNext : words.stage.noneHost}</span>
      </p>
      {host && (
        <div class="buttons">
          {review && (
            <button
              type="button"
              class={first}
              data-testid="stage-review"
              disabled={review.asked}
              onClick={review.start}
            >
              <span class="offer-long">{startWords.review(scoutsOf(review.template), review.folder)}</span>
              <span class="offer-short">{startWords.reviewShort(scoutsOf(review.template))}</span>
            </button>
          )}
          <button type="button" class={review ? '' : first} data-testid="new-process" onClick={onStart}>
            {words.stage.start}
          </button>
        </div>
      )}
    </section>
  )
}
