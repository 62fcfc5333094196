// Transcripts. The page computes them from the same durable events as the server computes its conversations. The
// provisional text that streams into open rows is kept beside them.
import { applyByType, type ByType } from './by-type'
import { eraseViews } from './erased-views'
import { foldRules } from './kinds'
import type {
  Ask,
  ChatDelta,
  ChatDone,
  Conversation,
  ConversationView,
  EventFrame,
  Message,
  Overlay,
  ProcessTurn,
  Run,
  ToolStart,
} from '../net/protocol.gen'

export type Views = Readonly<Record<string, ConversationView>>

/** The text that has been streamed into an open row, and the number of the delta that comes next. */
interface Stream {
  text: string
  next: number
}

/** The streams by messageId. Only an open row has a stream. */
export type Streams = Readonly<Record<string, Stream>>

/**
 * The maximum number of rows of a conversation that the page keeps. When it drops the oldest rows, it sets hasMore.
 * Without this limit a page that stays open would need more and more memory.
 */
export const MAX_MESSAGES = 20_000

/**
 * The maximum length of a tool's output that is shown, in characters (S4-B4). The server shortens outputs at a lower
 * limit in bytes.
 */
export const MAX_TOOL_SHOWN = 20_000

/** The id of the conversation to which a durable event belongs; undefined if it belongs to none. */
export function conversationOf(ev: EventFrame): string | undefined {
  switch (ev.type) {
    case 'conversation.started':
      return ev.conversation.conversationId
    case 'conversation.status':
    case 'conversation.renamed':
    case 'conversation.team':
    case 'forge:stepped':
    case 'chat.started':
    case 'tool.start':
    case 'tool.output':
    case 'tool.end':
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

/** Applies one durable event to the transcripts and to the state of their plans. */
export function applyViews(views: Views, ev: EventFrame): Views {
  if (ev.type === 'history:erased') return eraseViews(views, ev)
  const id = conversationOf(ev)
  if (id === undefined) return processEvent(views, ev)
  const view = views[id]
  // The view came with a snapshot that already contains the event.
  if (view && ev.seq <= view.lastSeq) return views
  if (ev.type === 'conversation.started') return { ...views, [id]: begin(ev.conversation, ev.seq) }
  // The rows of a conversation that is not loaded come with conversation.open.
  return view
    ? {
        ...views,
        [id]: { ...applyByType(FOLD, view, ev), lastSeq: ev.seq, updatedAt: touches(ev) ? ev.at : view.updatedAt },
      }
    : views
}

/** Whether the event changes the conversation's updatedAt. An imported older row, which has its own time, does not. */
export const touches = (ev: EventFrame): boolean => ev.type !== 'message.added' || ev.message.at >= ev.at

/** A new conversation has no next member: the event of the first turn names it. */
function begin(head: Conversation, seq: number): ConversationView {
  const plan = {
    waiting: null,
    asked: [],
    ...(head.maxTurns ? { maxTurns: head.maxTurns } : {}),
  }
  return { ...head, messages: [], hasMore: false, activeRuns: [], activeRun: null, plan, lastSeq: seq }
}

/** For each type of event, the function that applies the event to the view of its conversation. */
const FOLD: ByType<EventFrame, ConversationView> = {
  'conversation.status': (v, ev) => {
    const { endedAt: _, reason: __, ...rest } = v
    const head = ev.reason ? { ...rest, reason: ev.reason } : rest
    if (!isOver(ev.status)) return { ...head, status: ev.status }
    return {
      ...head,
      status: ev.status,
      endedAt: ev.at,
      ...(v.plan.nextMemberId ? { plan: { ...v.plan, nextMemberId: '' } } : {}),
    }
  },
  'conversation.renamed': (v, ev) => ({ ...v, title: ev.title }),
  'conversation.team': (v, ev) => ({ ...v, team: ev.team }),
  'forge:stepped': (v, ev) => ({ ...v, plan: { ...v.plan, forge: ev.forge } }),
  'chat.started': (v, ev) => {
    const rows = ev.message ? addRow(v, ev.message, ev.seq) : v
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
      ...(ev.model ? { model: ev.model } : {}),
    }
    if (foldRules(v.kind).staged) return withRuns(rows, [...rows.activeRuns, run])
    const plan = ev.turn ? { ...rows.plan, nextMemberId: ev.memberId } : rows.plan
    return withRuns({ ...rows, lastRun: run, plan }, [...rows.activeRuns, run])
  },
  'assistant.segment.started': (v, ev) => {
    const { messageId, conversationId, requestId, memberId, name, stageId, at } = ev
    const row: Message = {
      messageId,
      conversationId,
      requestId,
      role: 'assistant',
      memberId,
      name,
      ...(stageId ? { stageId } : {}),
      content: '',
      status: 'open',
      at,
    }
    return addRow(touch(v, requestId, at), row, ev.seq)
  },
  'assistant.segment.closed': (v, ev) => addRow(touch(v, ev.requestId, ev.at), ev.message, ev.seq),
  'message.added': (v, ev) => addRow(v, ev.message, ev.seq),
  'tool.start': (v, ev) => addRow(touch(v, ev.requestId, ev.at), toolRow(ev), ev.seq),
  'tool.output': (v, ev) =>
    changeRow(touch(v, ev.requestId, ev.at), ev.messageId, (m) =>
      m.status === 'open' ? { ...m, content: (m.content + ev.text).slice(0, MAX_TOOL_SHOWN) } : m,
    ),
  'tool.end': (v, ev) =>
    changeRow(touch(v, ev.requestId, ev.at), ev.messageId, (m) =>
      m.status === 'open' && m.tool
        ? {
            ...m,
            content: ev.output,
            status: ev.unknown ? 'interrupted' : ev.ok ? 'done' : 'error',
            tool: {
              ...m.tool,
              ...(ev.cut ? { cut: true } : {}),
              ...(ev.refused ? { refused: true } : {}),
              ...(ev.tests ? { tests: ev.tests } : {}),
            },
          }
        : m,
    ),
  'chat.done': (v, ev) =>
    unask(
      counted(endRun(v, ev, { status: 'done' }), ev),
      (a) => a.requestId === ev.requestId || (ev.turn !== undefined && a.roleId === ev.turn.roleId),
    ),
  'chat.error': (v, ev) =>
    unask(
      endRun(v, ev, { status: ev.code === 'timeout' ? 'timeout' : 'error', code: ev.code }),
      (a) => a.requestId === ev.requestId,
    ),
  'chat.cancelled': (v, ev) =>
    unask(
      endRun(v, ev, { status: ev.reason === 'interrupted' ? 'interrupted' : 'cancelled', reason: ev.reason }),
      (a) => a.requestId === ev.requestId,
    ),
}

/** Whether a conversation of that status has ended. */
export function isOver(status: Conversation['status']): status is 'completed' | 'abandoned' | 'failed' {
  return status === 'completed' || status === 'abandoned' || status === 'failed'
}

function toolRow(ev: ToolStart): Message {
  const { messageId, conversationId, requestId, memberId, memberName, name, input, callId, reads, stageId, at } = ev
  const tool = { name, input, ...(callId ? { callId } : {}), ...(reads ? { reads } : {}) }
  return {
    messageId,
    conversationId,
    requestId,
    role: 'tool',
    memberId,
    name: memberName,
    ...(stageId ? { stageId } : {}),
    content: '',
    status: 'open',
    at,
    tool,
  }
}

/** Ends a run. If it is the newest run, it stays as lastRun, for a retry. */
function endRun(
  v: ConversationView,
  ev: { requestId: string; at: string },
  how: Pick<Run, 'status' | 'code' | 'reason'>,
): ConversationView {
  const left = withRuns(
    v,
    v.activeRuns.filter((r) => r.requestId !== ev.requestId),
  )
  return v.lastRun?.requestId === ev.requestId
    ? { ...left, lastRun: { ...v.lastRun, ...how, endedAt: ev.at, lastActivityAt: ev.at } }
    : left
}

/**
 * Takes the number of turns from the event of a finished turn. The next member is unknown until the next turn begins.
 */
function counted(v: ConversationView, { turn }: ChatDone): ConversationView {
  if (!turn || foldRules(v.kind).staged) return v
  return { ...v, plan: { ...v.plan, turns: turn.stageTurns, nextMemberId: '' } }
}

/** Removes the turns of people for which the process no longer waits after a process event. */
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

/** Adds the person's turn that process:turn announces. A turn with the same requestId is replaced. */
export function applyTurn(views: Views, turn: ProcessTurn): Views {
  const { conversationId } = turn
  const view = views[conversationId]
  if (!view) return views
  const ask: Ask = {
    conversationId,
    requestId: turn.requestId,
    roleId: turn.roleId,
    memberId: turn.memberId,
    prompt: turn.prompt,
    ...(turn.until ? { until: turn.until } : {}),
  }
  const others = view.plan.asked.filter((a) => a.requestId !== ask.requestId)
  return { ...views, [conversationId]: { ...view, plan: { ...view.plan, asked: [...others, ask] } } }
}

/** How many of the newest rows are searched for the row that a new row replaces, which is usually recent. */
const SEARCHED = 512

/**
 * The index of the row with the id; -1 for none. whole: search all rows, because a row that a run closes can be old.
 */
function findBack(rows: readonly Message[], id: string, whole: boolean): number {
  const stop = whole ? 0 : Math.max(0, rows.length - SEARCHED)
  for (let i = rows.length - 1; i >= stop; i--) if (rows[i]?.messageId === id) return i
  return -1
}

/**
 * Replaces the row with the same id or appends the row, and limits the number of rows. An open row is never dropped.
 * The seq of a row is that of the event that inserted it.
 */
function addRow(v: ConversationView, m: Message, seq: number): ConversationView {
  const i = findBack(v.messages, m.messageId, m.role === 'assistant' && m.status !== 'open')
  const old = v.messages[i]
  if (old) return { ...v, messages: v.messages.with(i, { ...m, seq: old.seq ?? seq }) }
  const row = { ...m, seq }
  const over = v.messages.length + 1 - MAX_MESSAGES
  if (over > 0) {
    const open = v.messages.slice(0, over).filter((other) => other.status === 'open')
    return { ...v, messages: [...open, ...v.messages.slice(over), row], hasMore: v.hasMore || open.length < over }
  }
  return { ...v, messages: [...v.messages, row] }
}

function changeRow(v: ConversationView, id: string, change: (m: Message) => Message): ConversationView {
  const i = findBack(v.messages, id, true)
  const row = v.messages[i]
  return row ? { ...v, messages: v.messages.with(i, change(row)) } : v
}

function touch(v: ConversationView, requestId: string, at: string): ConversationView {
  const i = v.activeRuns.findIndex((r) => r.requestId === requestId)
  const run = v.activeRuns[i]
  return run ? withRuns(v, v.activeRuns.with(i, { ...run, lastActivityAt: at })) : v
}

function withRuns(v: ConversationView, runs: Run[]): ConversationView {
  return { ...v, activeRuns: runs, activeRun: runs[0] ?? null }
}

/** A segment's start adds a stream, its end removes it. */
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

/** Replaces the streams by the overlays of an attach: the text so far of each open row. */
export function overlayStreams(segments: Readonly<Record<string, Overlay>> | null | undefined): Streams {
  const out: Record<string, Stream> = {}
  for (const [id, o] of Object.entries(segments ?? {})) out[id] = { text: o.text, next: o.next }
  return out
}

/**
 * Whether a delta continues its stream ("next"), repeats text or belongs to a closed row ("known"), or comes after text
 * that is missing ("gap").
 */
export function judgeDelta(streams: Streams, d: ChatDelta): 'next' | 'known' | 'gap' {
  const s = streams[d.messageId]
  if (!s || d.n < s.next) return 'known'
  return d.n === s.next ? 'next' : 'gap'
}

export function applyDelta(streams: Streams, d: ChatDelta): Streams {
  const s = streams[d.messageId]
  if (!s || d.n !== s.next) return streams
  return { ...streams, [d.messageId]: { text: s.text + d.text, next: s.next + 1 } }
}
