// The end of a start form: problems and buttons.
import { words } from '../../words'
import { Refusals } from '../refusals'

export function StartFoot({ problem, busy, onDone }: { problem: string; busy: boolean; onDone: () => void }) {
  const w = words.conversation.dialog
  return (
    <>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Refusals only={['conversation.start']} />
      <div class="buttons">
        <button type="submit" class="primary" data-testid="talk-start-go" disabled={busy}>
          {busy ? w.starting : w.start}
        </button>
        <button type="button" onClick={onDone}>
          {words.conversation.cancel}
        </button>
      </div>
    </>
  )
}
