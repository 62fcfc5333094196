// A refused command: why it was refused, and its text, so that the text is not lost.
import { isSaying, sayingOf, type Pending } from '../net/outbox'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { cut } from './cut'

export function Refusal({ pending: p }: { pending: Pending }) {
  const app = useApp()
  const said = isSaying(p) && sayingOf(p) !== ''
  return (
    <div class="refusal" data-testid="refusal" data-code={p.error?.code}>
      <StateMark state="interrupted" />
      <div>
        <strong>{words.refusal.title(words.refusal.of[p.frame.type] ?? '')}:</strong> {p.error?.message}
        {said && <blockquote>{cut(sayingOf(p), 200)}</blockquote>}
      </div>
      <div class="buttons">
        {said && (
          <button type="button" class="small" onClick={() => app.takeBack(p)}>
            {words.transcript.putBack}
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={words.refusal.dismiss}
          onClick={() => app.discard(p.requestId)}
        >
          ✕
        </button>
      </div>
    </div>
  )
}
