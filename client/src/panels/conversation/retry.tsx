// The lines after a failed run: what happened, and a button that retries the run.
import type { ConversationView } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../state-mark'

export function Retry({ view }: { view: ConversationView }) {
  const app = useApp()
  const last = kindOf(view).retryableRun(view)
  if (last === null) return null
  const asked = app.pending.value.some(
    (p) =>
      p.frame.type === 'conversation.resume' &&
      p.frame.conversationId === view.conversationId &&
      p.status !== 'refused',
  )
  return (
    <p class="retry" role="status" data-testid="retry">
      <StateMark state="interrupted" />
      <span>{words.conversation.retryHint[last.status]}</span>
      {app.host.value && (
        <button
          type="button"
          class="small"
          data-testid="retry-now-answer"
          disabled={asked}
          onClick={() => app.send({ type: 'conversation.resume', conversationId: view.conversationId })}
        >
          {words.conversation.retry}
        </button>
      )}
    </p>
  )
}
