// The button that stops a run. The text that the run has written so far stays.
import { cancelId } from '../../net/outbox'
import type { ConversationView } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'

export function StopRun({ view, requestId }: { view: ConversationView; requestId: string }) {
  const app = useApp()
  if (!app.host.value) return null
  const asked = app.pending.value.some((p) => p.requestId === cancelId(requestId) && p.status !== 'refused')
  return (
    <button
      type="button"
      class="link stop"
      data-testid="stop"
      disabled={asked}
      title={kindOf(view).stopHint}
      onClick={() => app.send({ type: 'chat.cancel', conversationId: view.conversationId, requestId })}
    >
      {asked ? words.conversation.stopping : words.conversation.stop}
    </button>
  )
}
