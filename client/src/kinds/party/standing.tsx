// Who speaks or who is waited for, in the head of a party.
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { StateMark } from '../../panels/state-mark'
import type { RealmModel } from '../../state/model'
import { memberName } from '../../state/talks'
import type { InView } from '../kind'
import { isAtHand, partyWaitsForMe } from './state'
import { partyWords } from './words'
import { TwoLines } from './two-lines'

/** One line for the head of a party: who speaks or who is waited for. */
function partyStanding(realm: RealmModel, view: ConversationView, mine: boolean): string {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return ''
  if (p.executing) return partyWords.turnOf(plainName(memberName(realm, view, p.executing.target)))
  if (p.status !== 'paused') return ''
  if (p.newest === '') return partyWords.fresh_
  if (mine) return partyWords.waitsYou
  return p.waitingFor ? partyWords.waitsFor(plainName(memberName(realm, view, p.waitingFor))) : partyWords.waitsAnybody
}

/** Who speaks or who is waited for, beside the buttons of the head. */
export function PartyStanding({ view, realm }: InView) {
  const app = useApp()
  const p = realm.world.party
  const mine = partyWaitsForMe(app.model, view)
  const standing = partyStanding(realm, view, mine)
  if (standing === '') return null
  const reason = view.reason && !isPlain(realm, view) && p.status === 'paused' && p.newest !== '' ? view.reason : ''
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

/** The reason says no more than who is waited for, or was before a restart. */
function isPlain(realm: RealmModel, view: ConversationView): boolean {
  return view.team.members.some((m) => view.reason === partyWords.isAsked(memberName(realm, view, m.id)))
}
