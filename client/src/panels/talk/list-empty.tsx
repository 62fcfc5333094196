// No conversation yet.
import { words } from '../../words'
import { useApp } from '../context'

export function ListEmpty() {
  const host = useApp().host.value
  return (
    <div class="empty">
      <p>{words.chats.empty}</p>
      <p class="quiet">{host ? words.chats.emptyNext : words.chats.emptySpectator}</p>
    </div>
  )
}
