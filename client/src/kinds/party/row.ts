// How a row of a party differs: markers in its words become chips, and it has the name of a place in the team.
import type { Member, Message } from '../../net/protocol.gen'
import { memberName } from '../../state/talks'
import type { InView, RowLook } from '../kind'
import { readSaid, sameName } from './marks-said'
import { isAtHand } from './state'
import { partyWords } from './words'

export function partyRow(
  m: Message,
  text: string,
  { view, realm, member }: InView & { member: Member | null },
): RowLook {
  // Words say nothing about who spoke: the row does.
  const follows = (from: string) =>
    m.role === 'user' &&
    [m.memberId, m.name, member?.name, member?.displayName].some((n) => n !== undefined && sameName(n, from))
  const said = readSaid(text, follows)
  const asks = askedBy({ view, realm }, m.messageId)
  const chips = [
    ...(said.from !== '' ? [{ text: partyWords.speaksAs(said.from) }] : []),
    ...(said.task !== null ? [{ text: partyWords.taskSet(said.task), wrap: true }] : []),
    ...(asks !== '' ? [{ text: asks }] : []),
  ]
  return { text: said.text, chips, as: m.memberId !== '' && member === null ? partyWords.gone : '', place: true }
}

/** Who was asked by a row and has not spoken yet. */
function askedBy({ realm, view }: InView, messageId: string): string {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return ''
  const names = [...(p.executing ? [p.executing] : []), ...p.queue]
    .filter((i) => i.parent === messageId)
    .map((i) => memberName(realm, view, i.target))
  return names.length === 0 ? '' : partyWords.asks(names)
}
