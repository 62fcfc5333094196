// The line in the place of a composer: the session goes on in its own program. Its owner can say a word to the agent.
import { Tell } from '../../panels/tell'
import type { ConversationProps } from '../kind'
import { isLive, programOf } from './state'
import { codingWords } from './words'

export function Elsewhere({ view, realm }: ConversationProps) {
  if (!isLive(view)) return null
  const agent = view.team.members[0]
  return (
    <div class="conversation-over-line">
      <p class="quiet" data-testid="session-elsewhere">
        {codingWords.elsewhere(programOf(view))}
      </p>
      {agent && <Tell key={agent.id} realm={realm} id={agent.id} name={agent.displayName} />}
    </div>
  )
}
