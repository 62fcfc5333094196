// A session that is not at hand: it can be gone on with.
import { useApp } from '../../panels/context'
import type { InView } from '../kind'
import { saidIn } from './state'
import { partyWords } from './words'
import { byWhom } from './by-whom'

/** The session is not at hand: it can be gone on with. */
export function Resting({ view, realm }: InView) {
  const app = useApp()
  const said = saidIn(view)
  const ask = app.pending.value.find(
    (p) => p.frame.type === 'team:set' && p.frame.resumeSessionId === view.conversationId,
  )
  const go = () => {
    if (ask) app.discard(ask.requestId)
    app.talks.setTeam(view.team.id, view.conversationId)
  }
  return (
    <div class="resting" data-testid="party-resting">
      <p class="quiet">
        {realm.world.party.conversationId ? partyWords.rests : partyWords.restsAlone}
        {said !== null && said.messages > 0 && (
          <span data-testid="session-facts"> {partyWords.holds(said.messages, byWhom(view, said.by))}</span>
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
