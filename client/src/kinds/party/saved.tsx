// The session came to rest and all of it is on disk.
import type { InView } from '../kind'
import { partyWords } from './words'
import { atHand } from './party'

export function Saved(at: InView) {
  if (at.realm.sessions[at.view.conversationId]?.saved !== true) return null
  return (
    <span class="talk-saved" data-testid="session-saved">
      {atHand(at) ? '' : ' · '}
      {partyWords.saved}
    </span>
  )
}
