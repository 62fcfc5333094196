// The save status of the realm as a word, always shown. While the page is not connected, it says until when the status
// is known.
import { clock, words } from '../words'
import { useApp } from './context'
import { saveText } from './save-text'
import { StateMark } from './state-mark'

export function SaveChip() {
  const app = useApp()
  const save = app.model.save
  const known = save?.state ?? 'saved'
  const state = known === 'saved' && !app.live.value ? 'unknown' : known
  return (
    <span
      class={`chip save save-${state}`}
      data-testid="save-status"
      data-state={state}
      role={state === 'saved' ? undefined : 'status'}
      title={state === 'unknown' ? words.save.awayHint : undefined}
    >
      <StateMark state={state === 'saved' ? 'done' : 'interrupted'} />
      <span class="save-text">{state === 'unknown' ? words.save.away(clock(app.heardAt)) : saveText(save)}</span>
    </span>
  )
}
