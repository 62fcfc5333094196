// The rows of a transcript as shown: messages with stage lines, day lines and notes between them, and pending messages
// at the end. Pure.
import { isSaying, type Pending } from '../../net/outbox'
import type { ConversationView, Message } from '../../net/protocol.gen'
import type { Note, Page } from '../../state/model'
import type { TranscriptPart } from '../../conversations'
import { isSealed, type Sealed } from '../../state/sealed'
import { union } from '../../state/snapshots'
import { clock, day, moment, words } from '../../words'

export type Row =
  | { kind: 'stage'; key: string; name: string }
  | { kind: 'day'; key: string; name: string }
  | { kind: 'message'; key: string; message: Message }
  | { kind: 'sealed'; key: string; count: number }
  | { kind: 'note'; key: string; note: Note }
  | { kind: 'pending'; key: string; pending: Pending }
  | { kind: 'older'; key: string; loading: boolean }

export interface ShownRows {
  rows: readonly Message[]
  hasMore: boolean
  /** Whether the newest rows are included. */
  live: boolean
}

type Shown = Pick<ConversationView, 'conversationId' | 'messages' | 'hasMore'>

/** The rows to show: the newest ones, one stage, or a part around a search hit. */
export function shownRows(known: Page | null, v: Shown, part: TranscriptPart | null): ShownRows {
  const page = part && known?.conversationId === v.conversationId && known.stageId === part.stageId ? known : null
  if (part?.stageId) {
    const rows = union(
      page?.rows ?? [],
      v.messages.filter((m) => m.stageId === part.stageId),
    )
    return { rows, hasMore: page?.hasMore ?? false, live: true }
  }
  if (page && !v.messages.some((m) => m.messageId === part?.messageId))
    return { rows: page.rows, hasMore: page.hasMore, live: false }
  return { rows: v.messages, hasMore: v.hasMore, live: true }
}

/**
 * Whether the transcript shows the row. It does not show a row with role user and no author: the server wrote it to
 * tell an agent something, and nobody said it (S0-B9).
 */
function isShown(m: Message): boolean {
  return m.role !== 'user' || m.spectatorId !== undefined || m.memberId !== '' || m.name !== ''
}

/**
 * The pending messages of a conversation, and the pending commands that were typed in it. The process's transcript also
 * shows the pending texts that name no conversation.
 */
export function pendingIn(
  pending: readonly Pending[],
  realmId: string,
  conversationId: string,
  process: boolean,
): Pending[] {
  return pending.filter(
    (p) =>
      isSaying(p) &&
      p.status !== 'refused' &&
      p.realmId === realmId &&
      (p.frame.type === 'chat.send'
        ? p.frame.conversationId === conversationId
        : p.typedIn
          ? p.typedIn === conversationId
          : process),
  )
}

/** The notes (lines between rows) of one conversation; "" stands for those outside of any. */
export function notesIn(notes: readonly Note[], conversationId: string): Note[] {
  return notes.filter((n) => n.conversationId === conversationId)
}

export interface RowsOf {
  read: ShownRows
  /** The conversation's notes: lines between its rows, for events, answers to commands and errors. */
  notes: readonly Note[]
  /** The messages that this page has sent and that the server has not confirmed yet. */
  pending: readonly Pending[]
  /** Whether a request for older rows is pending. */
  loading: boolean
  /** The name of each stage, if the transcript is divided by stages; else null. */
  stages: ((id: string) => string) | null
  /** The answers that the person does not see yet; one line stands for them. */
  sealed: Sealed | null
}

export function buildRows({ read, notes, pending, loading, stages, sealed }: RowsOf): Row[] {
  const rows: Row[] = []
  const notesAfter = notesByRow(read, notes)
  const addNotes = (id: string | null) => {
    for (const note of notesAfter.get(id) ?? []) rows.push({ kind: 'note', key: `n${note.id}`, note })
  }
  if (read.hasMore) rows.push({ kind: 'older', key: 'older', loading })
  addNotes(null)
  let stage = ''
  let today = ''
  let announced = false // a system row has announced the next stage
  for (const message of read.rows) {
    if (!isShown(message)) continue
    const on = dayOf(message.at)
    if (on !== today) {
      if (today !== '' || read.hasMore || on !== day(Date.now()))
        rows.push({ kind: 'day', key: `d${message.messageId}`, name: on })
      today = on
    }
    if (message.role === 'system') announced = true
    if (stages && message.stageId && message.stageId !== stage) {
      stage = message.stageId
      if (!announced) rows.push({ kind: 'stage', key: `s${message.messageId}`, name: stages(stage) })
      announced = false
    }
    if (isSealed(sealed, message)) addSealed(rows, message)
    else rows.push({ kind: 'message', key: message.messageId, message })
    addNotes(message.messageId)
  }
  if (read.live) for (const p of pending) rows.push({ kind: 'pending', key: p.requestId, pending: p })
  return rows
}

/** Counts a hidden answer in the line that stands for all of them. Tool calls are hidden without being counted. */
function addSealed(rows: Row[], { role }: Message): void {
  if (role === 'tool') return
  const at = rows.findIndex((r) => r.kind === 'sealed')
  const line = rows[at]
  if (line?.kind === 'sealed') rows[at] = { ...line, count: line.count + 1 }
  else rows.push({ kind: 'sealed', key: 'sealed', count: 1 })
}

/** The notes by the messageId of the row that they follow; key null holds the notes before all rows. */
function notesByRow(read: ShownRows, notes: readonly Note[]): ReadonlyMap<string | null, Note[]> {
  const out = new Map<string | null, Note[]>()
  if (!read.live) return out
  const known = new Set(read.rows.map((m) => m.messageId))
  for (const note of notes) {
    const at = note.after !== null && known.has(note.after) ? note.after : null
    const list = out.get(at)
    if (list) list.push(note)
    else out.set(at, [note])
  }
  return out
}

/**
 * A cache of formatted dates, because formatting is slow. The key is the first 15 characters of a time, which all times
 * within the same ten minutes share, so 10,000 rows need only few calls.
 */
const days = new Map<string, string>()
const MAX_DAYS = 2_000

function dayOf(at: string | null): string {
  const key = at?.slice(0, 15) ?? ''
  let name = days.get(key)
  if (name === undefined) {
    if (days.size >= MAX_DAYS) days.clear()
    name = at ? day(at) : ''
    days.set(key, name)
  }
  return name
}

/** A message as text, for the clipboard. */
export function messageText(m: Message): string {
  if (m.role !== 'tool') return m.content
  return [`${m.tool?.name ?? ''} ${m.tool?.input ?? ''}`.trim(), m.content].filter(Boolean).join('\n')
}

/** A transcript as text, for the clipboard. */
export function transcriptText(rows: readonly Message[]): string {
  return rows
    .filter((m) => m.status !== 'open' && isShown(m))
    .map((m) => `${m.name || words.transcript.system} (${moment(m.at ?? '') || clock(m.at ?? '')})\n${messageText(m)}`)
    .join('\n\n')
}
