// The entries of the command palette, made from the page's model. Pure.
import { listConversations } from '../kinds/list-conversations'
import { kindOf, startOptions } from '../kinds/kinds'
import type { FilesFound } from '../net/protocol.gen'
import type { Model, RealmModel } from '../state/model'
import { WITH_WORDS } from '../panels/choices'
import { gradeOf } from '../panels/finding-grade'
import { playedAgents, type Agent } from '../state/conversations'
import { guideOf } from '../state/guide'
import { lookingAt } from '../state/people'
import { sessionOf } from '../state/roster'
import { foldersOf, heroName, isHost } from '../state/select'
import { facts, words } from '../words'
import { paletteWords } from '../words-palette'

/** The effect of choosing an entry. */
export type Target =
  | { to: 'action'; id: keyof typeof paletteWords.actions }
  /**
   * A slash command. whole: choosing the entry sends the command; otherwise the person completes it in the text
   * box.
   */
  | { to: 'slash'; text: string; whole: boolean }
  /** The dialog that begins a conversation of the kind of this StartOption. */
  | { to: 'begin'; kind: string }
  /** The dialog that starts a process, with this template chosen. */
  | { to: 'template'; id: string }
  | { to: 'talk'; id: string }
  /**
   * talk: the conversation of a coding agent's session; "" for any other agent, with whom choosing the entry begins a
   * chat.
   */
  | { to: 'agent'; id: string; talk: string }
  | { to: 'folder'; path: string }
  | { to: 'file'; path: string }
  | { to: 'finding'; id: string }
  | { to: 'realm'; id: string }
  /** A question to the agent. */
  | { to: 'ask'; agentId: string; text: string }

export interface Entry {
  kind: keyof typeof paletteWords.kinds
  /** The id, unique among the entries. */
  id: string
  text: string
  note: string
  target: Target
  /** Whether the entry is listed below all other matches, because it matches any text. */
  last?: boolean
}

/** A typed text of at least this many words counts as a question, not as the name of something. */
const WORDS = 3

/** Slash commands that the palette does not send at once: a person can add an argument (to /skip, a role). */
const UNFINISHED = [...WITH_WORDS, '/skip']

/**
 * All entries. The conversations and the commands come first, because the palette shows some of these before the person
 * types.
 */
export function entriesOf(m: Model): Entry[] {
  const r = m.realm
  if (r === null) return []
  const host = isHost(m)
  return [
    ...talks(m),
    ...actions(host),
    ...(host ? beginnings() : []),
    ...(host ? processes(m) : []),
    ...(host ? slashes() : []),
    ...questions(m),
    ...agents(m, r),
    ...people(m, r),
    ...findings(r),
    ...places(r),
    ...realms(m, r, host),
  ]
}

function talks(m: Model): Entry[] {
  return listConversations(m).map((c) => ({
    kind: 'talk',
    id: `talk ${c.conversationId}`,
    text: c.title || kindOf(c).label(c).word,
    note: kindOf(c).label(c).word,
    target: { to: 'talk', id: c.conversationId },
  }))
}

function actions(host: boolean): Entry[] {
  const ids = Object.keys(paletteWords.actions) as (keyof typeof paletteWords.actions)[]
  return ids
    .filter((id) => host || !['start', 'new', 'share', 'settings'].includes(id))
    .map((id) => ({
      kind: 'command',
      id: `action ${id}`,
      text: paletteWords.actions[id],
      note: '',
      target: { to: 'action', id },
    }))
}

/** The kinds of conversations that a person can begin. */
function beginnings(): Entry[] {
  return startOptions().map(({ id, word }) => ({
    kind: 'command',
    id: `begin ${id}`,
    text: word,
    note: paletteWords.actions.new,
    target: { to: 'begin', kind: id },
  }))
}

/** The processes that a person can start. */
function processes(m: Model): Entry[] {
  return (m.server?.templates ?? []).map(({ id, name }) => ({
    kind: 'command',
    id: `start ${id}`,
    text: name,
    note: paletteWords.actions.start,
    target: { to: 'template', id },
  }))
}

function slashes(): Entry[] {
  return Object.entries(words.commands).map(([text, hint]) => ({
    kind: 'command',
    id: text,
    text,
    note: hint,
    target: { to: 'slash', text, whole: !UNFINISHED.includes(text) },
  }))
}

/**
 * Suggested questions to the guide, the agent that answers questions about the folder; none if the person cannot
 * ask.
 */
function questions(m: Model): Entry[] {
  const guide = isHost(m) ? guideOf(m) : null
  return guide ? words.conversation.first.questions.map((text) => question(guide, text)) : []
}

function question(guide: Agent, text: string): Entry {
  const target: Target = { to: 'ask', agentId: guide.id, text }
  return { kind: 'question', id: `ask ${text}`, text: paletteWords.ask(text), note: guide.name, target }
}

/** The known entries and, if the typed text is a question, an entry that asks the guide this question. */
export function withQuestion(known: readonly Entry[], typed: string, guide: Agent | null): readonly Entry[] {
  const isQuestion = typed.endsWith('?') || typed.split(/\s+/).length >= WORDS
  return guide && isQuestion ? [...known, { ...question(guide, typed), id: 'ask', last: true }] : known
}

/** Agents that the person can talk to, and coding agents whose session the person can read. */
function agents(m: Model, r: RealmModel): Entry[] {
  const played = isHost(m) ? playedAgents(m).map((a) => ({ id: a.id, name: a.name, talk: '' })) : []
  const sessions = r.world.agents.flatMap((a) => {
    const talk = sessionOf(r, a.id)
    return talk === '' ? [] : [{ id: a.id, name: heroName(r, a), talk }]
  })
  return [...played, ...sessions].map(({ id, name, talk }) => ({
    kind: 'agent',
    id: `agent ${id}`,
    text: name,
    note: '',
    target: { to: 'agent', id, talk },
  }))
}

/** People whose place on the map is known. */
function people(m: Model, r: RealmModel): Entry[] {
  return m.spectators.list.flatMap((s): Entry[] => {
    const at = lookingAt(r.world, s)
    if (at === null) return []
    const target: Target = { to: 'folder', path: at.room }
    return [{ kind: 'person', id: `person ${s.spectatorId}`, text: s.name, note: at.file || at.room, target }]
  })
}

function findings(r: RealmModel): Entry[] {
  return r.world.findings.map((f) => ({
    kind: 'finding',
    id: `finding ${f.id}`,
    text: f.title,
    note: facts([f.path && (f.line ? `${f.path}:${f.line}` : f.path), gradeOf(f)]),
    target: { to: 'finding', id: f.id },
  }))
}

/** Adds the files and folders that the server has found, without those that are known already. */
export function withFound(known: readonly Entry[], found: FilesFound): Entry[] {
  const ids = new Set(known.map((e) => e.id))
  const more = found.files.map((f) => place(f.folder ? 'folder' : 'file', f.path)).filter((e) => !ids.has(e.id))
  return [...known, ...more]
}

function place(kind: 'folder' | 'file', path: string): Entry {
  return { kind, id: `${kind} ${path}`, text: path, note: '', target: { to: kind, path } }
}

/**
 * The folders of the map's tree, and the files that the page knows: those of rooms that it has shown, of findings, of
 * changes on disk, and those that coding agents have touched.
 */
function places(r: RealmModel): Entry[] {
  const folders = foldersOf(r.world.mapTree)
  const files = new Set([
    ...Object.values(r.rooms).flatMap(({ room }) => (room.objects ?? []).map((o) => o.path)),
    ...r.world.findings.map((f) => f.path),
    ...(r.world.touches ?? []).map((t) => t.path),
    ...r.changes.map((c) => c.path),
  ])
  return [
    ...[...folders].map((path) => place('folder', path)),
    ...[...files].filter((path) => path !== '' && !folders.has(path)).map((path) => place('file', path)),
  ]
}

function realms(m: Model, r: RealmModel, host: boolean): Entry[] {
  if (!host) return []
  return (m.realms?.realms ?? [])
    .filter((other) => other.id !== r.id)
    .map((other) => ({
      kind: 'realm',
      id: `realm ${other.id}`,
      text: other.name,
      note: other.path,
      target: { to: 'realm', id: other.id },
    }))
}
