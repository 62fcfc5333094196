// The button that begins a conversation, for hosts.
import { words } from '../../words'
import { useApp } from '../context'

export function NewTalk() {
  const app = useApp()
  if (!app.host.value) return null
  return (
    <button
      type="button"
      class="small"
      data-testid="talk-new"
      onClick={() => (app.talks.starting.value = { kind: '', memberIds: [] })}
    >
      {words.chats.new}
    </button>
  )
}
