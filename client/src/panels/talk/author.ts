// Who a row is by and how it is read: the name, what stands beside it, the colour, whether it is this person's. Pure.
import { kindOf } from '../../kinds/kinds'
import type { RowLook } from '../../kinds/kind'
import type { ConversationView, Member, Message } from '../../net/protocol.gen'
import { ERASED } from '../../state/erased'
import type { Model, RealmModel } from '../../state/model'
import { casting, colorOf, isMine, nameOf } from '../../state/select'
import { memberOf } from '../../state/talks'
import { words } from '../../words'
import { plainName } from '../plain-name'

export interface Author {
  name: string
  /** What stands beside the name. */
  as: string[]
  color: string | undefined
  /** The person at this page said it. */
  own: boolean
  /** Words of a person that were erased keep their place. */
  erased: boolean
}

/** How a row looks with that text: what a kind reads out of it. */
export function lookOf(realm: RealmModel, view: ConversationView | null, m: Message, text: string): RowLook {
  if (view === null) return { text, chips: [], as: '', place: false }
  return kindOf(view).row(m, text, { view, realm, member: memberOf(view, m.memberId) })
}

/** look: how the row looks, whatever its text. */
export function authorOf(
  model: Model,
  realm: RealmModel,
  view: ConversationView | null,
  m: Message,
  look: RowLook,
): Author {
  const member = view ? memberOf(view, m.memberId) : null
  const person = m.role === 'user'
  const erased = isGone(m)
  const roleName = roleOf(realm, m, member)
  const name = (erased ? words.keep.somebody : m.name || roleName) || words.talk.system
  const speaker =
    person && m.spectatorId ? model.spectators.list.find((s) => s.spectatorId === m.spectatorId) : undefined
  const role = plainName(roleName) !== plainName(name) && !erased ? roleName : ''
  // Who speaks from that place, as far as they are here.
  const from = look.place && speaker && speaker.name !== name ? speaker.name : ''
  const bystander = person && !m.memberId && kindOf(view).staged ? words.talk.bystander : ''
  return {
    name,
    as: [look.as || role, from, bystander].filter(Boolean),
    color: erased ? undefined : colorIn(realm, m, member, speaker?.color, look.place),
    own: person && isOwn(model, realm, m),
    erased,
  }
}

/** Whether the words of a person were erased. */
function isGone(m: Message): boolean {
  return m.role === 'user' && m.content === '' && m.name === ERASED && m.status !== 'open'
}

/** What the member is called as whom somebody speaks; "" for people who speak for themselves. */
function roleOf(realm: RealmModel, m: Message, member: Member | null): string {
  if (!m.memberId || m.memberId === m.spectatorId) return ''
  return member?.displayName ?? nameOf(realm, m.memberId)
}

/** A place in a team has a colour of its own; elsewhere a person has theirs. */
function colorIn(realm: RealmModel, m: Message, member: Member | null, ofPerson: string | undefined, place: boolean) {
  const ofMember = m.memberId ? (member?.color ?? colorOf(realm, m.memberId)) : undefined
  return place ? (ofMember ?? ofPerson) : (ofPerson ?? ofMember)
}

function isOwn(model: Model, realm: RealmModel, m: Message): boolean {
  if (model.me === null) return false
  if (m.spectatorId) return m.spectatorId === model.me.spectatorId
  return m.memberId !== '' && isMine(casting(realm, m.memberId), model)
}
