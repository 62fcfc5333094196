// The list of conversations while it is empty.
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
