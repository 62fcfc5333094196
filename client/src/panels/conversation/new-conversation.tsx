// The button that opens the start dialog; only hosts see it.
import { words } from '../../words'
import { useApp } from '../context'

export function NewConversation() {
  const app = useApp()
  if (!app.host.value) return null
  return (
    <button
      type="button"
      class="small"
      data-testid="talk-new"
      onClick={() => (app.conversations.starting.value = { kind: '', memberIds: [] })}
    >
      {words.conversation.new}
    </button>
  )
}
