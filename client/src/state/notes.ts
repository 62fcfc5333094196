// The notes between the rows of a transcript: events of the process, and answers to commands, which only the person who
// typed them sees. Each note belongs to one conversation. Pure, except for the counter of note ids.
import type { CommandReply, EventFrame, Message, WorldState } from '../net/protocol.gen'
import { compareTimes } from './time'
import { MAX_NOTES, type Note, type RealmModel } from './model'

/**
 * Whether the transcript of the process shows the event as a note. Other conversations have rows for their events.
 */
export function isNote(ev: EventFrame, processId: string): boolean {
  if ((ev.type === 'chat.error' || ev.type === 'chat.cancelled') && ev.conversationId !== processId) return false
  switch (ev.type) {
    case 'process:started':
    case 'process:stage_restarted':
    case 'process:pausing':
    case 'process:paused':
    case 'process:resumed':
    case 'process:sealed':
    case 'process:completed':
    case 'process:skipped':
    case 'process:error':
    case 'process:cast':
    case 'settings:updated':
    case 'spectator:command':
    case 'chat.error':
      return true
    case 'chat.cancelled':
      // A cancellation for any other reason needs no note, because the event that caused it has one.
      return ev.reason === 'person' || ev.reason === 'interrupted' || ev.reason === 'dismissed'
    default:
      return false
  }
}

/** Matches the commands whose result is shown in a conversation or a dialog, and not as a note. */
const SEEN_THERE = /^(conversation\.|chat\.|team:|skill:|history:)/

/** Adds the answer to a command where the command was typed; undefined stands for the current process. */
export function applyReply(r: RealmModel, f: CommandReply, typedIn?: string): RealmModel {
  const where = typedIn ?? r.world.processState.conversationId
  if (!f.text || SEEN_THERE.test(f.command) || isTold(r, f, where)) return r
  return addNote(r, { kind: 'reply', reply: f }, where)
}

/** Whether a note of the conversation already says what the reply says. */
function isTold(r: RealmModel, reply: CommandReply, where: string): boolean {
  const seq = reply.seq ?? 0
  return (
    seq > 0 && r.notes.some((n) => n.conversationId === where && n.what.kind === 'event' && n.what.event.seq >= seq)
  )
}

/**
 * The notes for the recent events in a snapshot. Each note follows the last row that was inserted before the note's
 * event. Events before the start of the current process are left out, because they belong to the transcript of an
 * earlier process.
 */
export function notesOf(f: WorldState): Note[] {
  const { conversationId } = f.world.processState
  const view = f.conversations?.find((v) => v.conversationId === conversationId)
  const rows = view?.messages ?? []
  const began = view?.createdAt ?? null
  return (f.recent ?? [])
    .filter((ev) => isNote(ev, conversationId) && compareTimes(ev.at, began) >= 0)
    .map((event) => ({
      id: ++lastNote,
      conversationId,
      after: rows.findLast((m) => isBefore(m, event))?.messageId ?? null,
      what: { kind: 'event', event },
    }))
}

/** Whether a row was inserted before an event. Rows and events of one step have the same time. */
function isBefore(m: Message, event: EventFrame): boolean {
  if (m.seq !== undefined) return m.seq <= event.seq
  return m.at !== null && event.at !== null && m.at <= event.at
}

let lastNote = 0

/** Adds a note to a conversation; to the current process if none is given. */
export function addNote(
  r: RealmModel,
  what: Note['what'],
  conversationId = r.world.processState.conversationId,
): RealmModel {
  const rows = r.views[conversationId]?.messages
  const note: Note = { id: ++lastNote, conversationId, after: rows?.at(-1)?.messageId ?? null, what }
  return { ...r, notes: [...r.notes.slice(-(MAX_NOTES - 1)), note] }
}
