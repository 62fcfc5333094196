// How a row of a party is shown: its markers as chips, and the member's name and colour.
import type { Member, Message } from '../../net/protocol.gen'
import { memberName } from '../../state/conversations'
import type { ConversationProps, RowDisplay } from '../kind'
import { readMarkers, sameName } from './markers'
import { isCurrent } from './state'
import { partyWords } from './words'

export function partyRow(
  m: Message,
  text: string,
  { view, realm, member }: ConversationProps & { member: Member | null },
): RowDisplay {
  // The marker [FROM: name] is hidden and used only if name is the author of the row.
  const follows = (from: string) =>
    m.role === 'user' &&
    [m.memberId, m.name, member?.name, member?.displayName].some((n) => n !== undefined && sameName(n, from))
  const said = readMarkers(text, follows)
  const asks = askedBy({ view, realm }, m.messageId)
  const chips = [
    ...(said.from !== '' ? [{ text: partyWords.speaksAs(said.from) }] : []),
    ...(said.task !== null ? [{ text: partyWords.taskSet(said.task), wrap: true }] : []),
    ...(asks !== '' ? [{ text: asks }] : []),
  ]
  // Several people may share one member, so a row has the name of the person who wrote it.
  return { text: said.text, chips, as: m.memberId !== '' && member === null ? partyWords.gone : '', bySpeaker: true }
}

/** The names of the members whom this row asked and who have not spoken yet, as text; "" for none. */
function askedBy({ realm, view }: ConversationProps, messageId: string): string {
  const p = realm.world.party
  if (!isCurrent({ view, realm })) return ''
  const names = [...(p.executing ? [p.executing] : []), ...p.queue]
    .filter((i) => i.parent === messageId)
    .map((i) => memberName(realm, view, i.target))
  return names.length === 0 ? '' : partyWords.asks(names)
}
