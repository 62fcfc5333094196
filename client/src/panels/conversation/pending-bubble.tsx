// A message of this page that the server has not answered.
import { questionOf, sayingOf, type Pending } from '../../net/outbox'
import type { ConversationView } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { pendingText } from '../pending-text'
import { StateMark } from '../state-mark'
import { Folding } from '../folding'

export function PendingBubble({ pending: p, view }: { pending: Pending; view: ConversationView | null }) {
  const app = useApp()
  return (
    <article class="bubble bubble-pending" data-testid="pending" data-status={p.status}>
      <div class="text">
        <Folding
          text={[
            p.frame.type === 'chat.send' && p.frame.choices ? kindOf(view).choices(view, p.frame.choices) : '',
            questionOf(sayingOf(p)),
          ]
            .filter(Boolean)
            .join('\n')}
          limit={600}
        />
      </div>
      <footer class="provisional">
        <StateMark state="waiting" />
        <span>{pendingText(p, app.identity.value !== null)}</span>
        {p.status !== 'sent' && (
          <button type="button" class="link" onClick={() => app.takeBack(p)}>
            {words.transcript.takeBack}
          </button>
        )}
      </footer>
    </article>
  )
}
