// A button that fetches the whole output of a tool, which the server shortened.
import type { Message } from '../../net/protocol.gen'
import { words } from '../../words'
import { useApp } from '../context'

export function ToolWhole({ message: m }: { message: Message }) {
  const app = useApp()
  const before = (m.seq ?? 0) + 1
  const asking = app.pending.value.find(
    (p) =>
      p.frame.type === 'conversation.open' &&
      p.frame.conversationId === m.conversationId &&
      p.frame.before === before &&
      p.frame.limit === 1,
  )
  return (
    <p class="quiet">
      {words.conversation.tool.cut} {asking?.status === 'refused' && asking.error?.message}{' '}
      {m.seq !== undefined && (
        <button
          type="button"
          class="link"
          data-testid="tool-whole"
          disabled={asking !== undefined && asking.status !== 'refused'}
          onClick={() => {
            if (asking) app.discard(asking.requestId)
            app.send({ type: 'conversation.open', conversationId: m.conversationId, before, limit: 1 })
          }}
        >
          {asking && asking.status !== 'refused' ? words.conversation.loading : words.conversation.tool.whole}
        </button>
      )}
    </p>
  )
}
