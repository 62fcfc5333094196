// Selectors for parties. Pure.
import type { ConversationView, Member, Party, PartyItem, Team } from '../../net/protocol.gen'
import { plainName } from '../../panels/plain-name'
import { memberName } from '../../state/conversations'
import type { Model, RealmModel } from '../../state/model'
import { isHost } from '../../state/select'
import { join } from '../../words'
import type { ConversationProps } from '../kind'
import { spokenTo, type Named } from './markers'
import { partyWords } from './words'

/** Whether this conversation is the realm's current party. */
export function isCurrent({ view, realm }: { view: ConversationView; realm: RealmModel }): boolean {
  return realm.world.party.conversationId === view.conversationId && view.conversationId !== ''
}

export function humans(team: Team): Member[] {
  return team.members.filter((m) => m.type === 'human').sort((a, b) => a.order - b.order)
}

/**
 * The member as whom the person at this page speaks: the team's only person or, in a team with several, the member of
 * the person's seat; "" for none. A spectator does not speak in a party.
 */
export function speakingAs(m: Model, v: ConversationView): string {
  const me = m.me?.spectatorId
  if (!m.realm || !me || !isHost(m) || !isCurrent({ view: v, realm: m.realm })) return ''
  return seatOf(m.realm, v.team, me)
}

/** The member as whom a host speaks; "" for none. */
function seatOf({ world }: RealmModel, team: Team, spectatorId: string): string {
  const people = humans(team)
  const seat = world.party.seats.find((s) => s.spectatorId === spectatorId)?.memberId
  return (people.length === 1 ? people[0] : people.find((p) => p.id === seat))?.id ?? ''
}

/** The people who watch the realm and speak in the current party, as names by which a text can speak to them. */
export function speakers(m: Model, { view, realm }: ConversationProps): (Named & { color: string })[] {
  return m.spectators.list.flatMap((s) => {
    const speaksAs = s.role === 'host' ? seatOf(realm, view.team, s.spectatorId) : ''
    return speaksAs ? [{ id: s.spectatorId, name: s.name, displayName: '', color: s.color, speaksAs }] : []
  })
}

/** The members and people whom the person at this page can ask by name: all but themselves. */
export function others(m: Model, at: ConversationProps): Named[] {
  const self = speakingAs(m, at.view)
  return [
    ...at.view.team.members.filter((x) => x.id !== self),
    ...speakers(m, at).filter((x) => x.id !== m.me?.spectatorId),
  ]
}

/** The people to whom the row speaks by name, of those who speak as this member. */
export function namedIn(m: Model, at: ConversationProps, content: string, memberId: string): Named[] {
  return spokenTo<Named>(content, [...at.view.team.members, ...speakers(m, at)]).filter((x) => x.speaksAs === memberId)
}

/**
 * The people for whom the party waits, of those who share one member: those whom the newest message names. Empty if it
 * names none of them, so that the party waits for whoever speaks as the member.
 */
function waitedFor(m: Model, at: ConversationProps): Named[] {
  const { newest, waitingFor } = at.realm.world.party
  const row = at.view.messages.findLast((x) => x.messageId === newest)
  return row ? namedIn(m, at, row.content, waitingFor) : []
}

/** Whether the party waits for the person at this page. */
export function partyWaitsForMe(m: Model, v: ConversationView): boolean {
  const p = m.realm?.world.party
  if (!m.realm || !p || p.conversationId !== v.conversationId || p.status !== 'paused' || p.newest === '') return false
  if (p.waitingFor === '' || p.waitingFor !== speakingAs(m, v)) return false
  const named = waitedFor(m, { view: v, realm: m.realm })
  return named.length === 0 || named.some((x) => x.id === m.me?.spectatorId)
}

/**
 * The member, or the people by name, for whom the party waits, if that is not the person at this page, or that it waits
 * for anybody; "" if it waits for nobody.
 */
export function partyWaitsFor(m: Model, v: ConversationView): string {
  const r = m.realm
  const p = r?.world.party
  if (!r || !p || p.conversationId !== v.conversationId || p.status !== 'paused') return ''
  if (p.newest === '') return partyWords.anybody
  if (!p.waitingFor || partyWaitsForMe(m, v)) return ''
  const named = waitedFor(m, { view: v, realm: r }).map((x) => plainName(x.name))
  return named.length > 0 ? join(named) : plainName(memberName(r, v, p.waitingFor))
}

/** The queue in the order in which the server will ask the members, if nobody speaks in between (P14.11). */
export function queueInOrder(p: Party): PartyItem[] {
  return p.order ? p.order.flatMap((n) => p.queue.filter((i) => i.n === n)) : p.queue
}

/** The speakers of loaded rows who are not in the team, each once, with the newest name (S2-09). */
export function missingMembers(v: ConversationView): { id: string; name: string }[] {
  const out = new Map<string, string>()
  for (const row of v.messages) {
    if (
      row.memberId === '' ||
      (row.role !== 'user' && row.role !== 'assistant') ||
      v.team.members.some((m) => m.id === row.memberId)
    )
      continue
    out.set(row.memberId, row.name || out.get(row.memberId) || row.memberId)
  }
  return [...out].map(([id, name]) => ({ id, name }))
}

/** How many messages people and agents have written, in all and by member; null if the page lacks some rows. */
export function messageCounts(v: ConversationView): { messages: number; by: Record<string, number> } | null {
  if (v.hasMore) return null
  const by: Record<string, number> = {}
  const rows = v.messages.filter((m) => (m.role === 'user' || m.role === 'assistant') && m.memberId !== '')
  for (const m of rows) by[m.memberId] = (by[m.memberId] ?? 0) + 1
  return { messages: rows.length, by }
}
