// Conversations that are about to begin, and those that the server did not take.
import { words } from '../../words'
import { useApp } from '../context'
import { onItsWay } from '../on-its-way'
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
          class="talk-starting quiet"
          role="status"
          data-testid="talk-starting"
          data-status={p.status}
        >
          <StateMark state="waiting" />
          <span>
            {words.chats.soon}: {onItsWay(p)}
          </span>
          {p.status !== 'sent' && (
            <button type="button" class="link" onClick={() => app.discard(p.requestId)}>
              {words.talk.takeBack}
            </button>
          )}
        </p>
      ))}
      <Refusals only={['conversation.start']} />
    </>
  )
}
