// Questions that the views ask about conversations. Pure.
import type { Conversation, ConversationInfo, ConversationView, Member, Message, Run } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { partyWaitsForMe } from './party'
import { casting, linked, nameOf } from './select'
import { isOver } from './views'

/** A line of the list of conversations. */
export interface Talk extends Conversation {
  /** Somebody is at work in it. */
  running: boolean
  /** The person at this page is asked in it. */
  asked: boolean
}

/** The conversations that are known: the process at hand first, then who last spoke first. */
export function talks(m: Model): Talk[] {
  const r = m.realm
  if (!r) return []
  const now = r.world.processState.conversationId
  const shown = Object.values(r.views).map((v): Talk => ({
    ...v,
    running: v.activeRuns.length > 0,
    asked: turnOf(v, m) !== null || partyWaitsForMe(m, v) || v.plan.asked.some((a) => a.memberId === m.me?.spectatorId),
  }))
  const listed = Object.values(r.heads)
    .filter((h) => !r.views[h.conversationId])
    .map((h): Talk => ({ ...h, running: false, asked: false }))
  return [...shown, ...listed].sort(
    (a, b) =>
      Number(b.conversationId === now) - Number(a.conversationId === now) ||
      order(b.updatedAt, a.updatedAt) ||
      order(a.conversationId, b.conversationId),
  )
}

function order(a: string | null, b: string | null): number {
  const [x, y] = [a ?? '', b ?? '']
  return x < y ? -1 : x > y ? 1 : 0
}

export function headOf(r: RealmModel, id: string): Conversation | null {
  return r.views[id] ?? r.heads[id] ?? null
}

/** Whether a page has the newest rows of a conversation. */
export function isHere(v: ConversationView | undefined): v is ConversationView {
  return v !== undefined && !(v.messages.length === 0 && v.hasMore)
}

export type Sort = 'process' | 'council' | 'task' | 'chat' | 'party' | 'forge'

/** What people call it: a council of one agent is a task. */
export function sortOf(c: Conversation): Sort {
  if (c.kind === 'council') return c.team.members.length === 1 ? 'task' : 'council'
  return c.kind === 'chat' || c.kind === 'party' || c.kind === 'forge' ? c.kind : 'process'
}

export function memberOf(c: Conversation, id: string): Member | null {
  return c.team.members.find((x) => x.id === id) ?? null
}

/** What a member of a conversation is called. */
export function memberName(r: RealmModel, c: Conversation, id: string): string {
  const known = memberOf(c, id)
  return known ? known.displayName || known.name : nameOf(r, id)
}

/** The run in which the person at this page is asked: a council has them among its members. */
export function turnOf(v: ConversationView, m: Model): Run | null {
  const me = m.me?.spectatorId
  return (v.kind === 'council' && me && v.activeRuns.find((run) => run.memberId === me)) || null
}

/** The last run of a chat where it came to nothing and may be taken again. */
export function cutOff(v: ConversationView): Run | null {
  const last = v.lastRun
  if (v.kind !== 'chat' || isOver(v.status) || v.activeRuns.length > 0 || !last) return null
  return last.status === 'done' || last.status === 'running' ? null : last
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

/** Agents that a skill can be given to: who is played here, who stands in the realm, the party's. */
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

/**
 * The chat of this person with that agent that goes on, about that stage of the process at hand or nothing in
 * particular: talking again goes on there.
 */
export function chatWith(m: Model, agentId: string, stageId = ''): Talk | null {
  const about = (t: Talk) =>
    stageId === ''
      ? !t.about
      : t.about?.stageId === stageId && t.about.conversationId === m.realm?.world.processState.conversationId
  return (
    talks(m).find(
      (t) =>
        t.kind === 'chat' &&
        !isOver(t.status) &&
        about(t) &&
        t.team.members.some((x) => x.id === agentId) &&
        t.team.members.some((x) => x.id === m.me?.spectatorId),
    ) ?? null
  )
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
  return at === undefined ? order(c.updatedAt, seen[''] ?? null) > 0 : isLater(c.updatedAt, at)
}

/** Times of events stand still at most so long before they follow a clock that was set back (P4.1). */
const MAX_HOLD_MS = 5 * 60_000

/**
 * Whether a conversation has changed since it had last changed at before: also where the server's clock was set back
 * between.
 */
export function isLater(at: string | null, before: string | null): boolean {
  return order(at, before) > 0 || (at !== null && before !== null && Date.parse(before) - Date.parse(at) >= MAX_HOLD_MS)
}
