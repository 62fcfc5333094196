// A line that says that the session is paused and saved.
import { DOT } from '../../words'
import type { ConversationProps } from '../kind'
import { partyWords } from './words'
import { isCurrent } from './state'

export function Saved(at: ConversationProps) {
  if (at.realm.sessionNotices[at.view.conversationId]?.saved !== true) return null
  return (
    <span class="conversation-saved" data-testid="session-saved">
      {isCurrent(at) ? '' : DOT}
      {partyWords.saved}
    </span>
  )
}
