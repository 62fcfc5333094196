// How a row of a party is shown: its markers as chips, and the member's name and colour.
import type { Member, Message } from '../../net/protocol.gen'
import { plainName } from '../../panels/plain-name'
import { memberName } from '../../state/conversations'
import type { ConversationProps, RowDisplay } from '../kind'
import type { Model } from '../../state/model'
import { readMarkers, sameName } from './markers'
import { isCurrent, namedIn } from './state'
import { partyWords } from './words'

export function partyRow(
  m: Message,
  text: string,
  at: ConversationProps & { member: Member | null; model: Model },
): RowDisplay {
  const { member } = at
  // The marker [FROM: name] is hidden and used only if name is the author of the row.
  const follows = (from: string) =>
    m.role === 'user' &&
    [m.memberId, m.name, member?.name, member?.displayName].some((n) => n !== undefined && sameName(n, from))
  const said = readMarkers(text, follows)
  const asks = askedBy(m, at)
  const chips = [
    ...(said.from !== '' ? [{ text: partyWords.speaksAs(said.from) }] : []),
    ...(said.task !== null ? [{ text: partyWords.taskSet(said.task), wrap: true }] : []),
    ...(asks !== '' ? [{ text: asks }] : []),
  ]
  // Several people may share one member, so a row has the name of the person who wrote it.
  return { text: said.text, chips, as: m.memberId !== '' && member === null ? partyWords.gone : '', bySpeaker: true }
}

/**
 * Whom this row asked, as text: members, or the people whom its words name; "" for nobody, and for a row that is too
 * old, because the text of a row does not keep it.
 */
function askedBy(m: Message, { realm, view, model }: ConversationProps & { model: Model }): string {
  const p = realm.world.party
  if (!isCurrent({ view, realm })) return ''
  const called = p.called?.find((c) => c.messageId === m.messageId)?.memberIds ?? []
  if (called.length === 0) return ''
  return partyWords.asks(
    called.flatMap((id) => {
      const people = namedIn(model, { realm, view }, m.content, id)
      return people.length > 0 ? people.map((x) => plainName(x.name)) : [memberName(realm, view, id)]
    }),
  )
}
