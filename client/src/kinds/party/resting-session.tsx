// The notice under a session that is not the current one, with a button that resumes it.
import { useApp } from '../../panels/context'
import type { ConversationProps } from '../kind'
import { messageCounts } from './state'
import { partyWords } from './words'
import { countsText } from './message-counts'

export function RestingSession({ view, realm }: ConversationProps) {
  const app = useApp()
  const said = messageCounts(view)
  const ask = app.pending.value.find(
    (p) => p.frame.type === 'team:set' && p.frame.resumeSessionId === view.conversationId,
  )
  const go = () => {
    if (ask) app.discard(ask.requestId)
    app.conversations.setTeam(view.team.id, view.conversationId)
  }
  return (
    <div class="resting" data-testid="party-resting">
      <p class="quiet">
        {realm.world.party.conversationId ? partyWords.rests : partyWords.restsAlone}
        {said !== null && said.messages > 0 && (
          <span data-testid="session-facts"> {partyWords.holds(said.messages, countsText(view, said.by))}</span>
        )}
      </p>
      {app.host.value && (
        <button
          type="button"
          class="small primary"
          data-testid="party-resume"
          disabled={ask !== undefined && ask.status !== 'refused'}
          onClick={go}
        >
          {ask && ask.status !== 'refused' ? partyWords.resuming : partyWords.goOn}
        </button>
      )}
      {ask?.status === 'refused' && (
        <p class="problem pre" role="alert">
          {partyWords.restoreFailed(ask.error?.message ?? '')}
        </p>
      )}
    </div>
  )
}
