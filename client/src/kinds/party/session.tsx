// Under the rows of a party: what came back with its session, who is missing, and that it rests.
import { useEffect } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { StateMark } from '../../panels/marks'
import { ago, count, words } from '../../words'
import { memberOf } from '../../state/talks'
import type { InView } from '../kind'
import { isAtHand, missingIn, saidIn } from './state'
import { partyWords } from './words'

/** A long list of who said how much is cut. */
const MOST_SPEAKERS = 6
/** How long a notice without a warning stays when nobody puts it away, in milliseconds. */
const STAYS_MS = 60_000

export function PartyEnd({ view, realm }: InView) {
  return (
    <>
      <SessionNotices view={view} realm={realm} />
      {!isAtHand(realm, view.conversationId) && <Resting view={view} realm={realm} />}
    </>
  )
}

/** After a restore: what came back, and who of the speakers is not in the team (S2-09, S2-12). */
function SessionNotices({ view, realm }: InView) {
  const app = useApp()
  const notice = realm.sessions[view.conversationId]
  const missing = missingIn(view)
  // After a reload the event is not here any more; the rows still say it, until it has been read.
  const told = app.talks.wasRead(view.conversationId, missing)
  const warning = notice?.warning
    ? notice.warning.message.replace(/^⚠️?\s*/u, '').replace(/\n\s+/g, '\n')
    : missing.length > 0 && !told
      ? partyWords.missing(missing.map((x) => x.name).join(', '))
      : ''
  const back = app.talks.cameBack(view.conversationId)
  const restored = back !== null
  useEffect(() => {
    if (!restored || warning !== '') return
    const timer = setTimeout(() => app.talks.readSession(view.conversationId, []), STAYS_MS)
    return () => clearTimeout(timer)
  }, [restored, warning])
  if (!restored && !warning) return null
  const by = byWhom(view, back?.by ?? {})
  return (
    <div
      class={warning ? 'session-notice session-warning' : 'session-notice'}
      role="status"
      data-testid="session-notice"
    >
      <StateMark state={warning ? 'interrupted' : 'done'} />
      <div>
        {restored && (
          <p data-testid="session-restored">
            {partyWords.restored(back.messages)} {by !== '' && <span class="quiet">{by}. </span>}
            {view.createdAt && <span class="quiet">{partyWords.since(ago(view.createdAt, Date.now()))}</span>}
          </p>
        )}
        {warning && (
          <p class="session-missing" data-testid="session-warning">
            {warning}
          </p>
        )}
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={words.chats.dismiss}
        data-testid="session-read"
        onClick={() => app.talks.readSession(view.conversationId, missing)}
      >
        ✕
      </button>
    </div>
  )
}

/** Who said how much, most first, by the names of now or of then. */
function byWhom(view: ConversationView, by: Readonly<Record<string, number>>): string {
  const gone = missingIn(view)
  const parts = Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_SPEAKERS)
    .map(([id, n]) => `${memberOf(view, id)?.displayName || gone.find((x) => x.id === id)?.name || id} ${count(n)}`)
  return parts.length === 0 ? '' : partyWords.byWhom(parts)
}

/** The session is not at hand: it can be gone on with. */
function Resting({ view, realm }: InView) {
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
