// The notes between the rows of the process's transcript. Pure, except for the counter of note ids.
import type { CommandReply, EventFrame, WorldState } from '../net/protocol.gen'
import { MAX_NOTES, type Note, type RealmModel } from './model'

/** Whether an event is a note of the process's transcript. Other conversations have rows for their events. */
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
      // A cancellation for another reason follows from an event that has its own note.
      return ev.reason === 'person' || ev.reason === 'interrupted' || ev.reason === 'dismissed'
    default:
      return false
  }
}

/** Whether the notes have an event that says the same as the reply. */
export function isTold(r: RealmModel, reply: CommandReply): boolean {
  const seq = reply.seq ?? 0
  return seq > 0 && r.notes.some(({ what }) => what.kind === 'event' && what.event.seq >= seq)
}

/** The notes in a snapshot. Each note follows the last row that was there at the time of the note's event. */
export function notesOf(f: WorldState): Note[] {
  const rows = f.conversations?.find((v) => v.conversationId === f.world.processState.conversationId)?.messages ?? []
  return (f.recent ?? [])
    .filter((ev) => isNote(ev, f.world.processState.conversationId))
    .map((event) => ({
      id: ++lastNote,
      after: rows.findLast((m) => m.at !== null && event.at !== null && m.at <= event.at)?.messageId ?? null,
      what: { kind: 'event', event },
    }))
}

let lastNote = 0

export function addNote(r: RealmModel, what: Note['what']): RealmModel {
  const rows = r.views[r.world.processState.conversationId]?.messages
  const note: Note = { id: ++lastNote, after: rows?.at(-1)?.messageId ?? null, what }
  return { ...r, notes: [...r.notes.slice(-(MAX_NOTES - 1)), note] }
}
