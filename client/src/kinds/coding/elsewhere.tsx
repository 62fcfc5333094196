// The line that replaces the composer. For the owner it has a form for messages to the agent, or says why the agent
// cannot receive any. To others it says that the session continues in its own program. The states of the messages stay
// visible when the session is over.
import { Tell } from '../../panels/tell'
import { ToldWords } from '../../panels/tell-words'
import type { ConversationProps } from '../kind'
import { Resume } from './resume'
import { isLive, programOf } from './state'
import { codingWords } from './words'

export function Elsewhere({ view, realm }: ConversationProps) {
  if (!isLive(view)) {
    const session = realm.world.sessions?.findLast((s) => s.conversationId === view.conversationId)
    return session ? (
      <div class="conversation-over-line">
        <Resume session={session} />
        <ToldWords realm={realm} session={session} />
      </div>
    ) : null
  }
  const agent = view.team.members[0]
  const elsewhere = (
    <p class="quiet" data-testid="session-elsewhere">
      {codingWords.elsewhere(programOf(view))}
    </p>
  )
  return (
    <div class="conversation-over-line">
      {agent ? (
        <Tell key={agent.id} realm={realm} id={agent.id} name={agent.displayName} otherwise={elsewhere} />
      ) : (
        elsewhere
      )}
    </div>
  )
}
