// The stage bar of a realm without a process: what a host can start. A folder that was never reviewed is reviewed by
// one click.
import { reviewToStart } from '../state/guide'
import { words } from '../words'
import { scoutsOf } from '../words-driver'
import { startWords } from '../words-start'
import { useApp } from './context'
import { useSelect } from './use-select'

export function StageNone({ onStart }: { onStart: () => void }) {
  const app = useApp()
  const host = app.host.value
  const review = useSelect(() => reviewToStart(app.model), [app])
  const offered = host ? review : null
  const folder = app.model.realm?.world.realm.name ?? ''
  const asked = app.pending.value.some((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')
  return (
    <section
      class={`stage-bar stage-none${offered ? ' stage-offers' : ''}`}
      data-testid="stage-bar"
      aria-label={words.stage.label}
    >
      <p>
        {words.stage.none} <span class="quiet">{host ? words.stage.noneNext : words.stage.noneHost}</span>
      </p>
      {host && (
        <div class="buttons">
          {offered && (
            <button
              type="button"
              class="primary"
              data-testid="stage-review"
              disabled={asked}
              onClick={() => {
                app.discardRefused('player:start-process')
                app.startProcess(startWords.problem(folder), offered.id)
              }}
            >
              <span class="offer-long">{startWords.review(scoutsOf(offered), folder)}</span>
              <span class="offer-short">{startWords.reviewShort(scoutsOf(offered))}</span>
            </button>
          )}
          <button type="button" class={offered ? '' : 'primary'} data-testid="new-process" onClick={onStart}>
            {words.stage.start}
          </button>
        </div>
      )}
    </section>
  )
}
