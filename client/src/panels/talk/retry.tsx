// After an answer that came to nothing: what happened, and the way to another.
import type { ConversationView } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../state-mark'

export function Retry({ view }: { view: ConversationView }) {
  const app = useApp()
  const last = kindOf(view).cutOff(view)
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
      <span>{words.chats.retryHint[last.status]}</span>
      {app.host.value && (
        <button
          type="button"
          class="small"
          data-testid="retry-now-answer"
          disabled={asked}
          onClick={() => app.send({ type: 'conversation.resume', conversationId: view.conversationId })}
        >
          {words.chats.retry}
        </button>
      )}
    </p>
  )
}
