// What a council adds to the composer: a notice that it is this person's turn, with a button to pass it.
import type { ConversationView, Run } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { Model } from '../../state/model'
import { words } from '../../words'
import type { ComposerParts, ComposerInput } from '../kind'
import { councilWords } from './words'

/**
 * The active run in which the person at this page is the member; null if there is none. People can be members of a
 * council.
 */
export function turnOf(v: ConversationView, m: Model): Run | null {
  const me = m.me?.spectatorId
  return (me && v.activeRuns.find((run) => run.memberId === me)) || null
}

export function useCouncilComposer({ view }: ComposerInput): ComposerParts {
  const app = useApp()
  const turn = turnOf(view, app.model)
  if (turn === null) return { asked: false, placeholder: words.conversation.sayAll }
  const pass = () => app.send({ type: 'chat.cancel', conversationId: view.conversationId, requestId: turn.requestId })
  return {
    asked: true,
    placeholder: councilWords.sayYours,
    above: (
      <p class="composer-turn" role="status">
        {councilWords.yourTurn}{' '}
        <button type="button" class="small ghost" data-testid="talk-pass" onClick={pass}>
          {councilWords.pass}
        </button>
      </p>
    ),
  }
}
