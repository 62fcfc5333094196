// The text that is shown in place of an empty list of conversations.
import { words } from '../../words'
import { useApp } from '../context'

export function ListEmpty() {
  const host = useApp().host.value
  return (
    <div class="empty">
      <p>{words.conversation.empty}</p>
      <p class="quiet">{host ? words.conversation.emptyNext : words.conversation.emptySpectator}</p>
    </div>
  )
}
