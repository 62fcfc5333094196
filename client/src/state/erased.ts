// Applies the event history:erased (an erasure of conversations or of a person) to the page's state. eraseWorld
// mirrors Apply of shared/world; the other functions handle what only the page has. Pure.
import type { ConversationView, EventFrame, HistoryErased, Party, World } from '../net/protocol.gen'
import { eraseWords } from './agent-words'
import { eraseDoorNames, eraseDoors } from './doors'
import { ERASED, eraseIn } from './erased-views'
import type { Model, RealmModel } from './model'
import { enter, leave } from './navigation'
import { eraseTouches } from './touches'
import { eraseUsage } from './usage'

/** The maximum number of erased ids that a world remembers; the oldest are dropped. */
const MAX_ERASED = 2_000

type Erased = HistoryErased

/** The erased ids: conversations, and the person if there is one. */
function erasedIds(ev: Erased): string[] {
  return [...(ev.conversations ?? []), ...(ev.spectatorId ? [ev.spectatorId] : [])]
}

export function eraseWorld(w: World, ev: Erased, emptyProcess: () => World['processState'], nobodySet: Party): World {
  const conversations = new Set(ev.conversations ?? [])
  const ids = erasedIds(ev)
  const findings = new Set(ev.findings ?? [])
  const quests = new Set(ev.quests ?? [])
  const forts = new Set(ev.forts ?? [])
  const left = new Map((ev.artifacts ?? []).map((a) => [a.id, a.text]))
  const p = w.processState
  const next: World = {
    ...eraseTouches(eraseDoors(eraseWords(w, conversations, ev.spectatorId), conversations), conversations),
    erased: remembered(
      w.erased.filter((id) => !ids.includes(id)),
      ids,
      ev,
    ).slice(-MAX_ERASED),
    processState: p.conversationId !== '' && conversations.has(p.conversationId) ? emptyProcess() : p,
    party:
      w.party.conversationId !== '' && conversations.has(w.party.conversationId)
        ? { ...nobodySet, teamId: w.party.teamId }
        : w.party,
    artifacts: w.artifacts.map((a) => (left.has(a.id) ? { ...a, text: left.get(a.id) ?? '' } : a)),
    findings: w.findings.map((f) => {
      if (!findings.has(f.id)) return f
      const { evidence: _, why: __, advice: ___, proof: ____, steps: _s, patch: _p, accept: _a, ...rest } = f
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
  eraseReasons(next, conversations)
  eraseUsage(next, conversations)
  return ev.spectatorId ? erasePerson(next, ev.spectatorId) : next
}

/**
 * Puts the ids that retention has erased first, so that they are dropped first: the erasure of many old
 * conversations must not drop the id of an erased person.
 */
function remembered(kept: readonly string[], ids: readonly string[], ev: Erased): string[] {
  return ev.reason === 'retention' ? [...ids, ...kept] : [...kept, ...ids]
}

/**
 * Erases the field of w to which `what` refers. w must be a copy: its fields are replaced, the objects in them stay
 * unchanged.
 */
function clear(w: World, what: string): void {
  const p = w.processState
  if (what === 'problem') w.processState = { ...p, problemStatement: ERASED }
  else if (what === 'reason') w.processState = { ...p, reason: ERASED }
  else if (what === 'waiting' && p.waiting) w.processState = { ...p, waiting: { ...p.waiting, message: ERASED } }
  else if (what === 'seal' && p.sealed) w.processState = { ...p, sealed: { ...p.sealed, summary: ERASED } }
  else if (what === 'teamTask') w.party = { ...w.party, teamTask: ERASED }
}

/**
 * Removes the texts that say why agents are in their states, if the conversations of the agents were erased. w must
 * be a copy.
 */
function eraseReasons(w: World, conversations: ReadonlySet<string>): void {
  const told = new Set((w.sessions ?? []).filter((s) => conversations.has(s.conversationId)).map((s) => s.agentId))
  if (told.size === 0) return
  w.agents = w.agents.map((a) => {
    if (!a.state?.reason || !told.has(a.id)) return a
    const { reason: _, ...state } = a.state
    return { ...a, state }
  })
}

function erasePerson(w: World, id: string): World {
  const heroes = w.agents.filter((a) => a.spectatorId === id && a.inside)
  const navigation = heroes.reduce((n, a) => enter(n, a.id, a.realm), leave(w.navigationState, id))
  return {
    ...eraseDoorNames(w, id),
    agents: w.agents.map((a) =>
      a.spectatorId === id ? { ...a, name: a.name === a.displayName ? ERASED : a.name, displayName: ERASED } : a,
    ),
    processState: {
      ...w.processState,
      cast: w.processState.cast.map((c) => (c.spectatorId === id ? { ...c, name: ERASED } : c)),
      ...(w.processState.pausedBy?.by === id ? { pausedBy: { by: id } } : {}),
    },
    quests: w.quests.map((q) => (q.spectatorId === id ? { ...q, owner: ERASED } : q)),
    navigationState: { ...navigation, walkers: navigation.walkers.filter((other) => other !== id) },
    focus: w.focus.filter((f) => f.spectatorId !== id),
    party: { ...w.party, seats: w.party.seats.filter((s) => s.spectatorId !== id) },
  }
}

/** Whether the conversation or the person with this id was erased. */
export function isErased(r: RealmModel, id: string): boolean {
  return r.world.erased.includes(id)
}

/** Erases people from a transcript that was sent before they were erased. */
export function eraseLate(r: RealmModel, v: ConversationView): ConversationView {
  const people = new Set([...v.messages.map((m) => m.spectatorId), ...v.team.members.map((m) => m.id)])
  let out = v
  for (const id of people) if (id && isErased(r, id)) out = eraseIn(out, id)
  return out
}

/**
 * Removes an erased person from the list of spectators at once. The next list of the server does not have the person
 * either.
 */
export function eraseSpectators(of: Model['spectators'], ev: EventFrame): Model['spectators'] {
  return ev.type === 'history:erased' && ev.spectatorId
    ? { ...of, list: of.list.filter((s) => s.spectatorId !== ev.spectatorId) }
    : of
}

/** Removes what was erased from the listed conversations, notes, the page of older rows and the details of members. */
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
    // The head of a conversation (its title and status) does not say which people the title names. So the page
    // drops all heads after the erasure of a person and asks for the list again.
    heads: ev.spectatorId ? {} : heads,
    moreHeads: ev.spectatorId || Object.keys(heads).length !== Object.keys(r.heads).length ? null : r.moreHeads,
    completeFrom: Object.fromEntries(Object.entries(r.completeFrom).filter(([id]) => !gone.has(id))),
    page: r.page && (ev.spectatorId || gone.has(r.page.conversationId)) ? null : r.page,
    begun: r.begun && gone.has(r.begun.conversationId) ? null : r.begun,
    overtaken: r.overtaken && (ev.spectatorId || gone.has(r.overtaken.conversationId)) ? null : r.overtaken,
    notes: r.notes.filter(({ what }) => what.kind === 'event' && !speaksOf(what.event, ev, gone)),
    thoughts: {},
    details: {},
    // The summary of a session can quote erased words, and so can the text of a skill.
    sessionNotices: Object.fromEntries(
      Object.entries(r.sessionNotices).filter(([id]) => !ev.spectatorId && !gone.has(id)),
    ),
    teams: null,
    listed: null,
    opened: {},
  }
}

/**
 * Whether a note can mention what was erased. A note with free text can, because the text can name an erased person.
 */
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
