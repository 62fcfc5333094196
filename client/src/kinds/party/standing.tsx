// The line beside the buttons of the head: who speaks, or for whom the party waits.
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { StateMark } from '../../panels/state-mark'
import type { Model, RealmModel } from '../../state/model'
import { memberName } from '../../state/conversations'
import type { ConversationProps } from '../kind'
import { isCurrent, partyWaitsFor, partyWaitsForMe } from './state'
import { partyWords } from './words'
import { TwoLines } from './two-lines'

/** The text that says who speaks, or for whom the party waits; "" if there is nothing to say. */
function partyStanding(m: Model, { realm, view }: ConversationProps): string {
  const p = realm.world.party
  if (!isCurrent({ view, realm })) return ''
  if (p.executing) return partyWords.turnOf(plainName(memberName(realm, view, p.executing.target)))
  if (p.status !== 'paused') return ''
  if (p.newest === '') return partyWords.fresh_
  if (partyWaitsForMe(m, view)) return partyWords.waitsYou
  const other = partyWaitsFor(m, view)
  return other ? partyWords.waitsFor(other) : partyWords.waitsAnybody
}

export function PartyStanding({ view, realm }: ConversationProps) {
  const app = useApp()
  const p = realm.world.party
  const mine = partyWaitsForMe(app.model, view)
  const standing = partyStanding(app.model, { realm, view })
  if (standing === '') return null
  // How the party goes on is said to those who can speak in it.
  const reason =
    app.host.value && view.reason && !isPlain(realm, view) && p.status === 'paused' && p.newest !== ''
      ? view.reason
      : ''
  return (
    <div class={mine ? 'party-standing party-mine' : 'party-standing'}>
      <StateMark state={p.executing ? 'running' : mine ? 'reading' : 'waiting'} />
      <TwoLines of={standing + reason}>
        <span role="status" data-testid="party-standing">
          {standing}
          {reason && <span class="quiet"> {reason}</span>}
        </span>
      </TwoLines>
    </div>
  )
}

/** Whether view.reason, the server's explanation of the status, only says which member is asked. */
function isPlain(realm: RealmModel, view: ConversationView): boolean {
  return view.team.members.some((m) => view.reason === partyWords.isAsked(memberName(realm, view, m.id)))
}
