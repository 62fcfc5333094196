// The save status of the realm as a word, always shown.
import { useApp } from './context'
import { saveText } from './save-text'
import { StateMark } from './state-mark'

export function SaveChip() {
  const app = useApp()
  const save = app.model.save
  const state = save?.state ?? 'saved'
  return (
    <span
      class={`chip save save-${state}`}
      data-testid="save-status"
      data-state={state}
      role={state === 'saved' ? undefined : 'status'}
    >
      <StateMark state={state === 'saved' ? 'done' : 'interrupted'} />
      <span class="save-text">{saveText(save)}</span>
    </span>
  )
}
