// Conversations that are being started, and refused starts.
import { words } from '../../words'
import { useApp } from '../context'
import { pendingText } from '../pending-text'
import { StateMark } from '../state-mark'
import { Refusals } from '../refusals'

export function Starting() {
  const app = useApp()
  const waiting = app.pending.value.filter((p) => p.frame.type === 'conversation.start' && p.status !== 'refused')
  return (
    <>
      {waiting.map((p) => (
        <p
          key={p.requestId}
          class="conversation-starting quiet"
          role="status"
          data-testid="talk-starting"
          data-status={p.status}
        >
          <StateMark state="waiting" />
          <span>
            {words.conversation.soon}: {pendingText(p, app.identity.value !== null)}
          </span>
          {p.status !== 'sent' && (
            <button type="button" class="link" onClick={() => app.discard(p.requestId)}>
              {words.transcript.takeBack}
            </button>
          )}
        </p>
      ))}
      <Refusals only={['conversation.start']} />
    </>
  )
}
