// Transcripts: the page's mirror of the server's conversation state, folded from
// the same durable events, and the provisional words that stream into open rows.
import type { Ask, ChatDelta, ConversationView, EventFrame, Message, Overlays, ProcessTurn, Run } from '../net/protocol.gen'

export type Views = Readonly<Record<string, ConversationView>>

/** What has streamed into an open row so far, and the number of the next delta. */
export interface Stream {
  text: string
  next: number
}

/** By message id; only open rows have one. */
export type Streams = Readonly<Record<string, Stream>>

/**
 * How many rows of a conversation the page keeps; the oldest go first and
 * hasMore says so. The server sends the newest 50 and everything after them.
 */
export const MAX_MESSAGES = 20_000

/** The conversation that a durable event belongs to, or undefined. */
export function conversationOf(ev: EventFrame): string | undefined {
  switch (ev.type) {
    case 'conversation.started':
      return ev.conversation.conversationId
    case 'conversation.status':
    case 'chat.started':
    case 'assistant.segment.started':
    case 'assistant.segment.closed':
    case 'message.added':
    case 'chat.done':
    case 'chat.error':
    case 'chat.cancelled':
      return ev.conversationId
    default:
      return undefined
  }
}

/** Folds one durable event onto the transcripts and onto who is asked. */
export function applyViews(views: Views, ev: EventFrame): Views {
  const id = conversationOf(ev)
  if (id === undefined) return processEvent(views, ev)
  if (ev.type === 'conversation.started') {
    return {
      ...views,
      [id]: {
        ...ev.conversation,
        messages: [],
        hasMore: false,
        activeRuns: [],
        activeRun: null,
        plan: { waiting: null, asked: [] },
        lastSeq: ev.seq,
      },
    }
  }
  const view = views[id]
  // A conversation that is not live is not in the snapshot: there is no row to show.
  return view ? { ...views, [id]: { ...applyView(view, ev), lastSeq: ev.seq, updatedAt: ev.at } } : views
}

function applyView(v: ConversationView, ev: EventFrame): ConversationView {
  switch (ev.type) {
    case 'conversation.status': {
      const { endedAt: _, ...head } = v
      const over = ev.status === 'completed' || ev.status === 'abandoned' || ev.status === 'failed'
      return over ? { ...head, status: ev.status, endedAt: ev.at } : { ...head, status: ev.status }
    }
    case 'chat.started': {
      const rows = ev.message ? addRow(v, ev.message) : v
      if (ev.status !== 'running') return rows
      const run: Run = {
        conversationId: ev.conversationId,
        requestId: ev.requestId,
        memberId: ev.memberId,
        status: 'running',
        startedAt: ev.at,
        lastActivityAt: ev.at,
        startSeq: ev.seq,
        ...(ev.instance ? { instance: ev.instance } : {}),
        ...(ev.turn ? { turn: ev.turn } : {}),
      }
      return withRuns(rows, [...rows.activeRuns, run])
    }
    case 'assistant.segment.started':
      return addRow(touch(v, ev.requestId, ev.at), {
        messageId: ev.messageId,
        conversationId: ev.conversationId,
        requestId: ev.requestId,
        role: 'assistant',
        memberId: ev.memberId,
        name: ev.name,
        ...(ev.stageId ? { stageId: ev.stageId } : {}),
        content: '',
        status: 'open',
        at: ev.at,
      })
    case 'assistant.segment.closed':
      return addRow(touch(v, ev.requestId, ev.at), ev.message)
    case 'message.added':
      return addRow(v, ev.message)
    case 'chat.done':
    case 'chat.error':
    case 'chat.cancelled': {
      const runs = withRuns(v, v.activeRuns.filter((r) => r.requestId !== ev.requestId))
      const turn = ev.type === 'chat.done' ? ev.turn : undefined
      return unask(runs, (a) => a.requestId === ev.requestId || (turn !== undefined && a.roleId === turn.roleId))
    }
    default:
      return v
  }
}

/** Process events change who is asked in the process's conversation. */
function processEvent(views: Views, ev: EventFrame): Views {
  switch (ev.type) {
    case 'process:stage_advanced':
    case 'process:stage_restarted':
    case 'process:paused':
    case 'process:completed':
    case 'process:started':
      return asked(views, () => true)
    case 'process:skipped':
      return asked(views, (a) => ev.roleIds.includes(a.roleId))
    case 'process:cast':
      return asked(views, (a) => a.roleId === ev.casting.roleId && ev.casting.kind !== 'human')
    default:
      return views
  }
}

function asked(views: Views, gone: (a: Ask) => boolean): Views {
  let out = views
  for (const [id, view] of Object.entries(views)) {
    const next = unask(view, gone)
    if (next !== view) out = { ...out, [id]: next }
  }
  return out
}

function unask(v: ConversationView, gone: (a: Ask) => boolean): ConversationView {
  if (!v.plan.asked.some(gone)) return v
  return { ...v, plan: { ...v.plan, asked: v.plan.asked.filter((a) => !gone(a)) } }
}

/** process:turn: who is asked now. The same run again replaces what was known. */
export function applyTurn(views: Views, conversationId: string, turn: ProcessTurn): Views {
  const view = views[conversationId]
  if (!view) return views
  const ask: Ask = { requestId: turn.requestId, roleId: turn.roleId, memberId: turn.memberId, prompt: turn.prompt, ...(turn.until ? { until: turn.until } : {}) }
  const others = view.plan.asked.filter((a) => a.requestId !== ask.requestId)
  return { ...views, [conversationId]: { ...view, plan: { ...view.plan, asked: [...others, ask] } } }
}

/** A row that is replaced was opened not long ago as a rule: a new row is looked for among this many. */
const SEARCHED = 512

/** Where a row stands. One that a run closes may have been opened long ago, so all rows are searched for it. */
function findBack(rows: readonly Message[], { messageId: id, role, status }: Message): number {
  const stop = role === 'assistant' && status !== 'open' ? 0 : Math.max(0, rows.length - SEARCHED)
  for (let i = rows.length - 1; i >= stop; i--) if (rows[i]?.messageId === id) return i
  return -1
}

/** Replaces the row of the same id or appends it, and keeps the window: an open row stays, however much was said since. */
function addRow(v: ConversationView, m: Message): ConversationView {
  const i = findBack(v.messages, m)
  if (i >= 0) return { ...v, messages: v.messages.with(i, m) }
  const over = v.messages.length + 1 - MAX_MESSAGES
  if (over > 0) {
    const open = v.messages.slice(0, over).filter((row) => row.status === 'open')
    return { ...v, messages: [...open, ...v.messages.slice(over), m], hasMore: v.hasMore || open.length < over }
  }
  return { ...v, messages: [...v.messages, m] }
}

function touch(v: ConversationView, requestId: string, at: string): ConversationView {
  const i = v.activeRuns.findIndex((r) => r.requestId === requestId)
  const run = v.activeRuns[i]
  return run ? withRuns(v, v.activeRuns.with(i, { ...run, lastActivityAt: at })) : v
}

function withRuns(v: ConversationView, runs: Run[]): ConversationView {
  return { ...v, activeRuns: runs, activeRun: runs[0] ?? null }
}

/** A durable event opens and closes streams. */
export function applyStreams(streams: Streams, ev: EventFrame): Streams {
  if (ev.type === 'assistant.segment.started') return { ...streams, [ev.messageId]: { text: '', next: 0 } }
  if (ev.type === 'assistant.segment.closed') return dropStream(streams, ev.message.messageId)
  return streams
}

function dropStream(streams: Streams, id: string): Streams {
  if (!(id in streams)) return streams
  const { [id]: _, ...rest } = streams
  return rest
}

/** Overlays replace every provisional text. */
export function overlayStreams(overlays: Overlays): Streams {
  const out: Record<string, Stream> = {}
  for (const [id, o] of Object.entries(overlays.segments ?? {})) out[id] = { text: o.text, next: o.next }
  return out
}

/**
 * What a delta means for the streams: the next words, words that are already
 * there (a repeat, or of a row that is closed), or a hole.
 */
export function judgeDelta(streams: Streams, d: ChatDelta): 'next' | 'known' | 'hole' {
  const s = streams[d.messageId]
  if (!s || d.n < s.next) return 'known'
  return d.n === s.next ? 'next' : 'hole'
}

export function applyDelta(streams: Streams, d: ChatDelta): Streams {
  const s = streams[d.messageId]
  if (!s || d.n !== s.next) return streams
  return { ...streams, [d.messageId]: { text: s.text + d.text, next: s.next + 1 } }
}
