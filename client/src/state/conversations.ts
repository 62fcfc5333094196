// Selectors for conversations. Pure.
import type { Conversation, ConversationInfo, ConversationView, Member, Message } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { casting, linked, nameOf } from './select'
import { goodAt } from '../words-skills'
import { compareTimes } from './time'

export function headOf(r: RealmModel, id: string): Conversation | null {
  return r.views[id] ?? r.heads[id] ?? null
}

/**
 * The times of the first and the last row of a conversation. If the page does not have all rows, the times at which the
 * server has begun and last changed the conversation; null if the page does not know the conversation.
 */
export function spanOf(r: RealmModel, id: string): { from: string; to: string } | null {
  const head = headOf(r, id)
  const view = r.views[id]
  const rows = view?.hasMore === false ? view.messages : []
  const from = rows[0]?.at ?? head?.createdAt
  const to = rows.at(-1)?.at ?? head?.updatedAt
  return from && to ? { from, to } : null
}

/** Whether the page has the newest rows of a conversation. */
export function isHere(v: ConversationView | undefined): v is ConversationView {
  return v !== undefined && !(v.messages.length === 0 && v.hasMore)
}

export function memberOf(c: Conversation, id: string): Member | null {
  return c.team.members.find((x) => x.id === id) ?? null
}

/** The display name of a member. */
export function memberName(r: RealmModel, c: Conversation, id: string): string {
  const known = memberOf(c, id)
  return known ? known.displayName || known.name : nameOf(r, id)
}

export interface Agent {
  id: string
  name: string
  color: string
  /** What the agent is good at, in a few words; undefined if the page does not know. */
  side?: string | undefined
}

/** The agents to whom a person can speak, and the template that names them. */
export interface PlayedCast {
  templateId: string
  agents: Agent[]
}

/**
 * The agents that hold roles of the current process. If there are none: the agents of the template code_review for
 * which the server has a driver, if a folder is linked; else such agents of the first other template that has some.
 */
export function playedCast(m: Model): PlayedCast {
  const r = m.realm
  if (!r) return { templateId: '', agents: [] }
  const { template } = r.world.processState
  const cast = (template?.roles ?? []).filter((x) => casting(r, x.id)?.kind === 'agent')
  if (template && cast.length > 0) return { templateId: template.id, agents: cast.map((x) => agentOf(template.id, x)) }
  const played = (m.server?.templates ?? [])
    .map((t): PlayedCast => ({
      templateId: t.id,
      agents: t.cast.filter((x) => x.played).map((x) => agentOf(t.id, x)),
    }))
    .filter((c) => c.agents.length > 0)
  const code = linked(r.world)
  const review = code ? played.find((c) => c.templateId === 'code_review') : undefined
  return review ?? played.find((c) => c.templateId !== 'code_review' || code) ?? { templateId: '', agents: [] }
}

function agentOf(templateId: string, { id, name, color }: { id: string; name: string; color: string }): Agent {
  return { id, name, color, side: templateId === 'code_review' ? goodAt[id] : undefined }
}

/** The kind of driver that plays these agents; "none" without any. */
export function driverOf(m: Model, { templateId }: PlayedCast): string {
  return m.server?.templates.find((t) => t.id === templateId)?.driver ?? m.server?.driver ?? 'none'
}

/** The agents to whom a person can speak. */
export function playedAgents(m: Model): Agent[] {
  return playedCast(m).agents
}

/** The agents that can get a skill: those of playedCast, of the map if drivers play them, and of the party's team. */
export function skillRecipients(m: Model): Agent[] {
  const out = new Map<string, Agent>(playedCast(m).agents.map((a) => [a.id, a]))
  const r = m.realm
  for (const a of r?.world.agents ?? [])
    if (a.kind === 'agent' && !a.state && !out.has(a.id))
      out.set(a.id, { id: a.id, name: a.displayName, color: a.color })
  const team = r ? r.views[r.world.party.conversationId]?.team : undefined
  for (const x of team?.members ?? [])
    if (x.type === 'agent' && !out.has(x.id)) out.set(x.id, { id: x.id, name: x.displayName, color: x.color })
  return [...out.values()]
}

/** The seq of the newest row with the role user; 0 if there is none. */
export function seenSeq(rows: readonly Message[]): number {
  return rows.findLast((row) => row.role === 'user')?.seq ?? 0
}

/**
 * Whether something was said since the person last saw the conversation. seen: by conversationId, the updatedAt when
 * the person last saw the conversation; key "" stands for all others.
 */
export function isUnread(c: ConversationInfo | Conversation, seen: Readonly<Record<string, string>>): boolean {
  const at = seen[c.conversationId]
  return at === undefined ? compareTimes(c.updatedAt, seen[''] ?? null) > 0 : isLater(c.updatedAt, at)
}

/** The maximum time for which event times stand still after the server's clock was set back (P4.1), in milliseconds. */
const MAX_HOLD_MS = 5 * 60_000

/**
 * Whether the time `at` is later than the time `before`. If `at` is earlier by MAX_HOLD_MS or more, it counts as later,
 * because the server's clock was set back between the two.
 */
export function isLater(at: string | null, before: string | null): boolean {
  return (
    compareTimes(at, before) > 0 ||
    (at !== null && before !== null && Date.parse(before) - Date.parse(at) >= MAX_HOLD_MS)
  )
}
