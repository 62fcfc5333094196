// The save status as a word, always shown.
import { clock, words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'

export function SaveChip() {
  const app = useApp()
  const save = app.model.save
  const state = save?.state ?? 'saved'
  const text =
    state === 'saved'
      ? words.save.saved
      : state === 'slow'
        ? words.save.slow
        : state === 'broken'
          ? words.save.broken
          : save?.since
            ? words.save.failing(clock(save.since))
            : words.save.failingNow
  return (
    <span
      class={`chip save save-${state}`}
      data-testid="save-status"
      data-state={state}
      role={state === 'saved' ? undefined : 'status'}
    >
      <StateMark state={state === 'saved' ? 'done' : 'interrupted'} />
      <span class="save-text">{text}</span>
    </span>
  )
}
