// The author of a row: name, notes beside the name, colour, and whether the person at this page is the author. Pure.
import { kindOf } from '../../kinds/kinds'
import type { RowDisplay } from '../../kinds/kind'
import type { ConversationView, Member, Message, Spectator } from '../../net/protocol.gen'
import { ERASED } from '../../state/erased-views'
import type { Model, RealmModel } from '../../state/model'
import { casting, colorOf, isMine, nameOf } from '../../state/select'
import { memberOf } from '../../state/conversations'
import { join, words } from '../../words'
import { plainName } from '../plain-name'

export interface Author {
  name: string
  /** Notes beside the name. */
  as: string[]
  color: string | undefined
  /** Whether the person at this page wrote the row. */
  own: boolean
  /** Whether the words of the row were erased. The row stays. */
  erased: boolean
}

/** How the conversation's kind shows the row m with this text. */
export function displayOf(
  model: Model,
  realm: RealmModel,
  view: ConversationView | null,
  m: Message,
  text: string,
): RowDisplay {
  if (view === null) return { text, chips: [], as: '' }
  return kindOf(view).row(m, text, { view, realm, model, member: memberOf(view, m.memberId) })
}

/** The author of the row m. display: how the kind of the conversation shows the row. */
export function authorOf(
  model: Model,
  realm: RealmModel,
  view: ConversationView | null,
  m: Message,
  display: RowDisplay,
): Author {
  const member = view ? memberOf(view, m.memberId) : null
  const person = m.role === 'user'
  const erased = isGone(m)
  const roleName = roleOf(realm, m, member)
  const speaker = speakerOf(model, m)
  const name = (erased ? words.erasure.somebody : givenName(m, display, speaker) || roleName) || words.transcript.system
  const role = plainName(roleName) !== plainName(name) && !erased ? roleName : ''
  const aside = person && !m.memberId && !erased && kindOf(view).staged ? asideOf(realm, view, m, speaker) : ''
  return {
    name,
    as: [erased ? '' : display.as || role, aside].filter(Boolean),
    color: erased ? undefined : (speaker?.color ?? memberColor(realm, m, member)),
    own: person && isOwn(model, realm, m),
    erased,
  }
}

/** The person who wrote the row m, if that person watches the realm now. */
function speakerOf(model: Model, m: Message): Spectator | undefined {
  if (m.role !== 'user' || !m.spectatorId) return undefined
  return model.spectators.list.find((s) => s.spectatorId === m.spectatorId)
}

/**
 * What a person is who speaks to all in a process, and not as a role: the roles that they hold in it now, or a
 * spectator. '' for a host without a role, and for a person who does not watch the realm now: the row does not say it.
 */
function asideOf(realm: RealmModel, view: ConversationView | null, m: Message, speaker: Spectator | undefined): string {
  const { cast, conversationId } = realm.world.processState
  const current = view?.conversationId === conversationId && m.spectatorId
  const held = current ? cast.filter((c) => c.kind === 'human' && c.spectatorId === m.spectatorId) : []
  if (held.length > 0) return words.transcript.aside(join(held.map((c) => nameOf(realm, c.roleId))))
  return speaker?.role === 'spectator' ? words.transcript.bystander : ''
}

/** The name that the row m or the conversation's kind gives the author; "" if they give none. */
function givenName(m: Message, display: RowDisplay, speaker: Spectator | undefined): string {
  return (display.bySpeaker && speaker?.name) || display.name || m.name
}

/** Whether the row's words were erased. */
function isGone(m: Message): boolean {
  return m.role === 'user' && m.content === '' && m.name === ERASED && m.status !== 'open'
}

/** The name of the member as whom the author speaks; "" for a person who speaks for themselves. */
function roleOf(realm: RealmModel, m: Message, member: Member | null): string {
  if (!m.memberId || m.memberId === m.spectatorId) return ''
  return member?.displayName ?? nameOf(realm, m.memberId)
}

/** The colour of the member as whom the row's author speaks. */
function memberColor(realm: RealmModel, m: Message, member: Member | null): string | undefined {
  return m.memberId ? (member?.color ?? colorOf(realm, m.memberId)) : undefined
}

function isOwn(model: Model, realm: RealmModel, m: Message): boolean {
  if (model.me === null) return false
  if (m.spectatorId) return m.spectatorId === model.me.spectatorId
  return m.memberId !== '' && isMine(casting(realm, m.memberId), model)
}
