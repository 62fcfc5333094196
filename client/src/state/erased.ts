// What a page lets go of when history:erased says that conversations, or one
// person's words and identity, are no longer kept. eraseWorld mirrors Apply of
// shared/world; the rest is what only a page holds. Pure.
import { foldRules } from './kinds'
import type { ConversationView, EventFrame, HistoryErased, Message, Party, World } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { enter, leave } from './navigation'
import type { Views } from './views'

/** What stands where a name or a title was. */
export const ERASED = 'erased'
/** Ids that a world remembers as erased; the oldest go. */
const MAX_ERASED = 2_000

type Erased = HistoryErased

/** What was erased, by id: conversations, and the person if it was one. */
function erasedIds(ev: Erased): string[] {
  return [...(ev.conversations ?? []), ...(ev.spectatorId ? [ev.spectatorId] : [])]
}

export function eraseWorld(w: World, ev: Erased, emptyProcess: () => World['processState'], nobodySet: Party): World {
  const talks = new Set(ev.conversations ?? [])
  const ids = erasedIds(ev)
  const findings = new Set(ev.findings ?? [])
  const quests = new Set(ev.quests ?? [])
  const forts = new Set(ev.forts ?? [])
  const left = new Map((ev.artifacts ?? []).map((a) => [a.id, a.text]))
  const p = w.processState
  const next: World = {
    ...w,
    erased: remembered(
      w.erased.filter((id) => !ids.includes(id)),
      ids,
      ev,
    ).slice(-MAX_ERASED),
    processState: p.conversationId !== '' && talks.has(p.conversationId) ? emptyProcess() : p,
    party:
      w.party.conversationId !== '' && talks.has(w.party.conversationId)
        ? { ...nobodySet, teamId: w.party.teamId }
        : w.party,
    artifacts: w.artifacts.map((a) => (left.has(a.id) ? { ...a, text: left.get(a.id) ?? '' } : a)),
    findings: w.findings.map((f) => {
      if (!findings.has(f.id)) return f
      const { evidence: _, why: __, advice: ___, ...rest } = f
      return { ...rest, title: ERASED, text: '', ...(f.withdrawn ? { withdrawn: ERASED } : {}) }
    }),
    quests: w.quests.map((q) => {
      if (!quests.has(q.id)) return q
      const { note: _, ...rest } = q
      return { ...rest, title: ERASED }
    }),
    forts: w.forts.map((f) => (forts.has(f.agentId) ? { ...f, name: ERASED } : f)),
  }
  for (const what of ev.cleared ?? []) clear(next, what)
  return ev.spectatorId ? erasePerson(next, ev.spectatorId) : next
}

/** What retention lets go of is the first to be forgotten: a pass of thousands pushes no person out. */
function remembered(kept: readonly string[], ids: readonly string[], ev: Erased): string[] {
  return ev.reason === 'retention' ? [...ids, ...kept] : [...kept, ...ids]
}

/** Changes w, which is a copy, but none of its parts. */
function clear(w: World, what: string): void {
  const p = w.processState
  if (what === 'problem') w.processState = { ...p, problemStatement: ERASED }
  else if (what === 'reason') w.processState = { ...p, reason: ERASED }
  else if (what === 'waiting' && p.waiting) w.processState = { ...p, waiting: { ...p.waiting, message: ERASED } }
  else if (what === 'seal' && p.sealed) w.processState = { ...p, sealed: { ...p.sealed, summary: ERASED } }
  else if (what === 'teamTask') w.party = { ...w.party, teamTask: ERASED }
}

function erasePerson(w: World, id: string): World {
  const heroes = w.agents.filter((a) => a.spectatorId === id && a.inside)
  const navigation = heroes.reduce((n, a) => enter(n, a.id, a.realm), leave(w.navigationState, id))
  return {
    ...w,
    agents: w.agents.map((a) =>
      a.spectatorId === id ? { ...a, name: a.name === a.displayName ? ERASED : a.name, displayName: ERASED } : a,
    ),
    processState: {
      ...w.processState,
      cast: w.processState.cast.map((c) => (c.spectatorId === id ? { ...c, name: ERASED } : c)),
    },
    quests: w.quests.map((q) => (q.spectatorId === id ? { ...q, owner: ERASED } : q)),
    navigationState: { ...navigation, walkers: navigation.walkers.filter((other) => other !== id) },
    focus: w.focus.filter((f) => f.spectatorId !== id),
    party: { ...w.party, seats: w.party.seats.filter((s) => s.spectatorId !== id) },
  }
}

/** Transcripts that went are gone; of a person's rows the place stays. */
export function eraseViews(views: Views, ev: Erased): Views {
  const gone = new Set(ev.conversations ?? [])
  const kept = Object.entries(views).filter(([id]) => !gone.has(id))
  return Object.fromEntries(kept.map(([id, v]) => [id, ev.spectatorId ? eraseIn(v, ev.spectatorId) : v]))
}

function eraseIn(v: ConversationView, id: string): ConversationView {
  // The name of a place from which somebody spoke stays.
  const called = new Set(
    foldRules(v.kind).places ? [] : v.messages.filter((m) => m.spectatorId === id).map((m) => m.name),
  )
  for (const m of v.team.members) if (m.id === id) called.add(m.displayName)
  called.delete(ERASED)
  const names = [...called].filter((n) => n !== '').sort((a, b) => b.length - a.length)
  const { reason, ...head } = v
  return {
    ...head,
    ...(reason === undefined ? {} : { reason: unnamed(reason, names) }),
    title: unnamed(v.title, names),
    team: {
      ...v.team,
      members: v.team.members.map((m) => (m.id === id ? { ...m, name: ERASED, displayName: ERASED } : m)),
    },
    messages: v.messages.map((m) => eraseRow(m, id, names)),
  }
}

function eraseRow(m: Message, id: string, names: readonly string[]): Message {
  if (m.spectatorId === id) return { ...m, name: ERASED, content: '' }
  return m.role === 'system' && names.length > 0 ? { ...m, content: unnamed(m.content, names) } : m
}

/** A text of the server's without names, where they stand as words. */
function unnamed(text: string, names: readonly string[]): string {
  let out = text
  for (const name of names) {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    out = out.replace(new RegExp(`(?<![\\p{L}\\p{Nd}])${escaped}(?![\\p{L}\\p{Nd}])`, 'gu'), ERASED)
  }
  return out
}

/** Whether a conversation or a person was erased. */
export function isErased(r: RealmModel, id: string): boolean {
  return r.world.erased.includes(id)
}

/** A transcript that was on its way when people in it were erased. */
export function eraseLate(r: RealmModel, v: ConversationView): ConversationView {
  const people = new Set([...v.messages.map((m) => m.spectatorId), ...v.team.members.map((m) => m.id)])
  let out = v
  for (const id of people) if (id && isErased(r, id)) out = eraseIn(out, id)
  return out
}

/** Who is here is listed by the server; a name that is gone goes at once. */
export function eraseSpectators(of: Model['spectators'], ev: EventFrame): Model['spectators'] {
  return ev.type === 'history:erased' && ev.spectatorId
    ? { ...of, list: of.list.filter((s) => s.spectatorId !== ev.spectatorId) }
    : of
}

/** What else a page holds of it: heads of lists, lines between rows, a page of old rows, answers about members. */
export function eraseRest(r: RealmModel, ev: Erased): RealmModel {
  const gone = new Set(ev.conversations ?? [])
  const heads = Object.fromEntries(Object.entries(r.heads).filter(([id]) => !gone.has(id)))
  const streams = Object.fromEntries(
    Object.entries(r.streams).filter(([id]) =>
      Object.values(r.views).some((v) => v.messages.some((m) => m.messageId === id)),
    ),
  )
  return {
    ...r,
    streams,
    // Who is named in a head the page cannot tell: the list is asked for again.
    heads: ev.spectatorId ? {} : heads,
    moreHeads: ev.spectatorId || Object.keys(heads).length !== Object.keys(r.heads).length ? null : r.moreHeads,
    reach: Object.fromEntries(Object.entries(r.reach).filter(([id]) => !gone.has(id))),
    page: r.page && (ev.spectatorId || gone.has(r.page.conversationId)) ? null : r.page,
    begun: r.begun && gone.has(r.begun.conversationId) ? null : r.begun,
    overtaken: r.overtaken && (ev.spectatorId || gone.has(r.overtaken.conversationId)) ? null : r.overtaken,
    notes: r.notes.filter(({ what }) => what.kind === 'event' && !speaksOf(what.event, ev, gone)),
    thoughts: {},
    details: {},
    // A session's summary quotes its first words, a skill's text what was said of it.
    sessions: Object.fromEntries(Object.entries(r.sessions).filter(([id]) => !ev.spectatorId && !gone.has(id))),
    teams: null,
    opened: {},
  }
}

/** Whether a line may say something of what was erased. Lines that name people in words of their own go too. */
function speaksOf(line: EventFrame, ev: Erased, gone: ReadonlySet<string>): boolean {
  switch (line.type) {
    case 'spectator:command':
      return line.spectatorId === ev.spectatorId
    case 'process:cast':
      return line.casting.spectatorId !== undefined && line.casting.spectatorId === ev.spectatorId
    case 'process:started':
      return gone.has(line.conversationId) || (ev.cleared ?? []).includes('problem')
    case 'process:paused':
    case 'process:error':
    case 'process:sealed':
      return true
    case 'chat.error':
    case 'chat.cancelled':
      return gone.has(line.conversationId)
    default:
      return false
  }
}
