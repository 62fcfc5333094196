// The line in the place of a composer: the session goes on in its own program.
import type { ConversationProps } from '../kind'
import { isLive, programOf } from './state'
import { codingWords } from './words'

export function Elsewhere({ view }: ConversationProps) {
  if (!isLive(view)) return null
  return (
    <p class="conversation-over-line quiet" data-testid="session-elsewhere">
      {codingWords.elsewhere(programOf(view))}
    </p>
  )
}
