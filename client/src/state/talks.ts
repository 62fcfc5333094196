// Questions that the views ask about conversations. Pure.
import type { Conversation, ConversationInfo, ConversationView, Member, Message } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { casting, linked, nameOf } from './select'
import { inOrderOfTime } from './time'

export function headOf(r: RealmModel, id: string): Conversation | null {
  return r.views[id] ?? r.heads[id] ?? null
}

/** Whether a page has the newest rows of a conversation. */
export function isHere(v: ConversationView | undefined): v is ConversationView {
  return v !== undefined && !(v.messages.length === 0 && v.hasMore)
}

export function memberOf(c: Conversation, id: string): Member | null {
  return c.team.members.find((x) => x.id === id) ?? null
}

/** What a member of a conversation is called. */
export function memberName(r: RealmModel, c: Conversation, id: string): string {
  const known = memberOf(c, id)
  return known ? known.displayName || known.name : nameOf(r, id)
}

export interface Agent {
  id: string
  name: string
  color: string
}

/** Whom one can speak to, and of which template they are. */
export interface Company {
  templateId: string
  agents: Agent[]
}

/**
 * Who of the process at hand is played; where nobody is, the cast that is at home here: a review's where there is code,
 * else that of the first template that something plays.
 */
export function company(m: Model): Company {
  const r = m.realm
  if (!r) return { templateId: '', agents: [] }
  const { template } = r.world.processState
  const cast = (template?.roles ?? []).filter((x) => casting(r, x.id)?.kind === 'agent')
  if (template && cast.length > 0)
    return { templateId: template.id, agents: cast.map((x) => ({ id: x.id, name: x.name, color: x.color ?? '' })) }
  const played = (m.server?.templates ?? [])
    .map((t): Company => ({
      templateId: t.id,
      agents: t.cast.filter((x) => x.played).map(({ id, name, color }) => ({ id, name, color })),
    }))
    .filter((c) => c.agents.length > 0)
  const code = linked(r.world)
  const review = code ? played.find((c) => c.templateId === 'code_review') : undefined
  return review ?? played.find((c) => c.templateId !== 'code_review' || code) ?? { templateId: '', agents: [] }
}

/** Agents that can be spoken to. */
export function playable(m: Model): Agent[] {
  return company(m).agents
}

/** Agents that a skill can be given to: who is played here, who stands in the realm, the team's that is set. */
export function takers(m: Model): Agent[] {
  const out = new Map<string, Agent>(company(m).agents.map((a) => [a.id, a]))
  const r = m.realm
  for (const a of r?.world.agents ?? [])
    if (a.kind === 'agent' && !out.has(a.id)) out.set(a.id, { id: a.id, name: a.displayName, color: a.color })
  const team = r ? r.views[r.world.party.conversationId]?.team : undefined
  for (const x of team?.members ?? [])
    if (x.type === 'agent' && !out.has(x.id)) out.set(x.id, { id: x.id, name: x.displayName, color: x.color })
  return [...out.values()]
}

/** The newest row of a person, by its place; 0 for none. */
export function seenSeq(rows: readonly Message[]): number {
  return rows.findLast((row) => row.role === 'user')?.seq ?? 0
}

/**
 * Whether something was said since the reader last looked. seen: by conversation when it had last changed, "" for all
 * others.
 */
export function isUnread(c: ConversationInfo | Conversation, seen: Readonly<Record<string, string>>): boolean {
  const at = seen[c.conversationId]
  return at === undefined ? inOrderOfTime(c.updatedAt, seen[''] ?? null) > 0 : isLater(c.updatedAt, at)
}

/** Times of events stand still at most so long before they follow a clock that was set back (P4.1). */
const MAX_HOLD_MS = 5 * 60_000

/**
 * Whether a conversation has changed since it had last changed at before: also where the server's clock was set back
 * between.
 */
export function isLater(at: string | null, before: string | null): boolean {
  return (
    inOrderOfTime(at, before) > 0 ||
    (at !== null && before !== null && Date.parse(before) - Date.parse(at) >= MAX_HOLD_MS)
  )
}
