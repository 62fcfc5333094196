// What a council adds to the composer: a notice that it is this person's turn, with a button to pass it, or who hears
// what a person says who has no turn. Everybody in the realm can say something, also who is no member.
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

/** Whether the last turn is under way, so that no member hears what is said now. */
function isLast({ plan, maxTurns, activeRuns }: ConversationView): boolean {
  return activeRuns.length > 0 && (plan.turns ?? 0) + 1 >= (plan.maxTurns ?? maxTurns ?? Infinity)
}

export function useCouncilComposer({ view }: ComposerInput): ComposerParts {
  const app = useApp()
  const turn = turnOf(view, app.model)
  if (turn === null) {
    const note = isLast(view) ? councilWords.heardNoMore : councilWords.heard(view.team.members.length)
    return {
      asked: false,
      placeholder: words.conversation.sayAll,
      above: (
        <p class="quiet meta" data-testid="council-heard">
          {note}
        </p>
      ),
    }
  }
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
