// Applies the answers to conversation.open and conversation.list: pages of transcripts, and heads of conversations that
// are not shown. A view has every row from its completeFrom on. Older rows that leave a gap to the rows of the view are
// stored as a page beside the view. Pure.
import type {
  ConversationInfo,
  ConversationListed,
  ConversationOpen,
  ConversationView,
  EventFrame,
  Message,
  Snapshot,
} from '../net/protocol.gen'
import { eraseLate, isErased } from './erased'
import type { Page, RealmModel } from './model'
import { conversationOf, isOver, MAX_MESSAGES, overlayStreams, touches, type Streams, type Views } from './views'

/**
 * The maximum number of transcripts that are kept. The transcripts that changed least recently are dropped; the
 * page still lists their conversations.
 */
export const MAX_VIEWS = 64
/** The maximum number of heads (conversations without their rows) that are kept. */
const MAX_HEADS = 2_000

/** The part of a conversation.open that decides where the received rows belong. */
export type RowsRequest = Pick<ConversationOpen, 'limit' | 'stageId'> & { before?: number | string }

/**
 * The fields of a request that the reducer needs to apply its answer. typedIn: the conversation in which a command
 * was typed.
 */
export type Asked = RowsRequest & { typedIn?: string }

/**
 * Returns the seq of the first row from which on the view lacks no row of the conversation; 0 for no rows. A view
 * can begin with an older row that is still open, and rows between that row and the next one can be missing.
 */
export function firstCompleteSeq(rows: readonly Message[]): number {
  return rows.find((m) => m.status !== 'open')?.seq ?? rows[0]?.seq ?? 0
}

/** The seq from which on the page has every row of a conversation; 0 for none. */
export function completeSince(r: RealmModel, id: string): number {
  return r.completeFrom[id] || firstCompleteSeq(r.views[id]?.messages ?? [])
}

/**
 * The rows of both lists in order, each once. Of a row that both lists have, the version in `more` is taken, unless
 * only that version is shortened.
 */
export function union(rows: readonly Message[], more: readonly Message[]): Message[] {
  const byId = new Map(rows.map((m) => [m.messageId, m]))
  for (const m of more) {
    const other = byId.get(m.messageId)
    byId.set(m.messageId, other && m.tool?.cut && other.status === m.status && !other.tool?.cut ? other : m)
  }
  return [...byId.values()].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
}

/**
 * Applies the answer to a conversation.open. request: the conversation.open; undefined if this page did not send it.
 */
export function applySnapshot(r: RealmModel, f: Snapshot, request: RowsRequest | undefined): RealmModel {
  const { type: _, requestId: __, overlays, ...rest } = f
  // The conversation was erased after the server had sent the snapshot.
  if (isErased(r, rest.conversationId)) return r
  const received: ConversationView = eraseLate(r, {
    ...rest,
    messages: rest.messages ?? [],
    activeRuns: rest.activeRuns ?? [],
    plan: { ...rest.plan, asked: rest.plan.asked ?? [] },
  })
  const before = request?.before
  if (request && (request.stageId || (before !== undefined && before !== completeSince(r, received.conversationId))))
    return placePage(r, received, request)
  const next = { ...r, streams: mergeOverlays(r.streams, overlays) }
  if (request?.limit === 0) return placeHead(next, received)
  return before !== undefined && r.views[received.conversationId]
    ? placeOlder(next, received)
    : placeNewest(next, received)
}

/** Whether the received view has the same events as the known view, or more. */
const isAhead = (received: ConversationView, known: ConversationView | undefined): boolean =>
  known === undefined || received.lastSeq >= known.lastSeq

/** Replaces everything of a loaded conversation except its rows. */
function placeHead(r: RealmModel, received: ConversationView): RealmModel {
  const known = r.views[received.conversationId]
  if (known === undefined || !isAhead(received, known)) return r
  const view = { ...received, messages: known.messages, hasMore: known.hasMore }
  return { ...r, views: { ...r.views, [received.conversationId]: view } }
}

/** Adds the received rows before the oldest row of the view. */
function placeOlder(r: RealmModel, received: ConversationView): RealmModel {
  const id = received.conversationId
  const known = r.views[id] ?? received
  const view = { ...known, messages: union(received.messages, known.messages), hasMore: received.hasMore }
  return {
    ...r,
    views: { ...r.views, [id]: view },
    completeFrom: { ...r.completeFrom, [id]: received.messages[0]?.seq ?? completeSince(r, id) },
  }
}

/** Adds the newest rows to the view. If there would be a gap, replaces the view's rows by the newest rows. */
function placeNewest(r: RealmModel, received: ConversationView): RealmModel {
  const id = received.conversationId
  const known = r.views[id]
  const completeFrom = firstCompleteSeq(received.messages)
  const joins = known !== undefined && (!received.hasMore || known.messages.some((m) => (m.seq ?? 0) >= completeFrom))
  const view = joins ? joined(known, received) : received
  const from = joins
    ? Math.min(completeSince(r, id) || completeFrom, completeFrom || completeSince(r, id))
    : completeFrom
  return keepViews({ ...r, views: { ...r.views, [id]: view }, completeFrom: { ...r.completeFrom, [id]: from } }, id)
}

function joined(known: ConversationView, received: ConversationView): ConversationView {
  const ahead = isAhead(received, known)
  return {
    ...(ahead ? received : known),
    messages: ahead ? union(known.messages, received.messages) : union(received.messages, known.messages),
    hasMore: known.hasMore && received.hasMore,
  }
}

/**
 * Stores rows that do not continue the view: those of a stage, or those around a search hit. If the stored rows are of
 * the same part and begin where the request ends, the received rows are added before them.
 */
function placePage(r: RealmModel, received: ConversationView, request: RowsRequest): RealmModel {
  const { conversationId, messages, hasMore } = received
  const stageId = request.stageId ?? ''
  const known = r.views[conversationId]
  if (request.limit === 1) return placeWhole(r, messages[0])
  const newest = messages.at(-1)?.seq ?? 0
  const completeFrom = completeSince(r, conversationId)
  // Add the received rows to the view if no row between them and the view's rows is missing.
  if (
    stageId === '' &&
    known &&
    completeFrom > 0 &&
    newest >= completeFrom &&
    known.messages.length + messages.length <= MAX_MESSAGES
  ) {
    const rows = union(messages, known.messages)
    const oldest = messages[0]?.seq ?? completeFrom
    return {
      ...r,
      page: null,
      views: {
        ...r.views,
        [conversationId]: { ...known, messages: rows, hasMore: oldest < completeFrom ? hasMore : known.hasMore },
      },
      completeFrom: { ...r.completeFrom, [conversationId]: Math.min(completeFrom, oldest) },
    }
  }
  const p = r.page
  const same =
    p !== null &&
    p.conversationId === conversationId &&
    p.stageId === stageId &&
    request.before !== undefined &&
    request.before === p.rows[0]?.seq
  const rows = same ? union(messages, p.rows) : messages
  const page: Page = { conversationId, stageId, rows, hasMore }
  return {
    ...r,
    page,
    views: known ? r.views : { ...r.views, [conversationId]: { ...received, messages: [], hasMore: true } },
  }
}

/** Replaces a row whose text the server had shortened by the same row with its whole text. */
function placeWhole(r: RealmModel, row: Message | undefined): RealmModel {
  const has = (rows: readonly Message[] | undefined) =>
    row !== undefined && rows?.some((m) => m.messageId === row.messageId)
  if (row === undefined) return r
  const known = r.views[row.conversationId]
  const views =
    known && has(known.messages)
      ? { ...r.views, [row.conversationId]: { ...known, messages: union(known.messages, [row]) } }
      : r.views
  const page =
    r.page && r.page.conversationId === row.conversationId && has(r.page.rows)
      ? { ...r.page, rows: union(r.page.rows, [row]) }
      : r.page
  return { ...r, views, page }
}

/** Replaces the streamed text of each open row whose overlay in the snapshot has more text. */
function mergeOverlays(streams: Streams, overlays: Snapshot['overlays']): Streams {
  let out = streams
  for (const [id, o] of Object.entries(overlayStreams(overlays)))
    if ((out[id]?.next ?? -1) < o.next) out = { ...out, [id]: o }
  return out
}

/**
 * Applies a page of the list of conversations. more: whether the page adds to the heads; otherwise it replaces them.
 */
export function applyListed(r: RealmModel, f: ConversationListed, more: boolean): RealmModel {
  const heads: Record<string, ConversationInfo> = more ? { ...r.heads } : {}
  for (const info of f.conversations ?? [])
    if (!isErased(r, info.conversationId) && Object.keys(heads).length < MAX_HEADS) heads[info.conversationId] = info
  return { ...r, heads, moreHeads: f.hasMore && Object.keys(heads).length < MAX_HEADS }
}

/** Applies an event to the head of a conversation whose view the page does not have. */
export function applyHeads(r: RealmModel, ev: EventFrame): RealmModel {
  const id = conversationOf(ev)
  if (id === undefined || r.views[id]) return r
  const head = r.heads[id]
  // The page has no head of this conversation, because its part of the list does not contain it. The event makes it
  // one of the first in the list, so the page asks for the list again.
  if (!head) return r.moreHeads === null ? r : { ...r, moreHeads: null }
  const { endedAt: _, ...open } = head
  const next = touches(ev) ? { ...head, updatedAt: ev.at } : head
  if (ev.type === 'conversation.renamed') return withHead(r, { ...next, title: ev.title })
  if (ev.type === 'conversation.status')
    return withHead(
      r,
      isOver(ev.status)
        ? { ...next, status: ev.status, endedAt: ev.at }
        : { ...open, updatedAt: ev.at, status: ev.status },
    )
  return withHead(r, next)
}

function withHead(r: RealmModel, head: ConversationInfo): RealmModel {
  return { ...r, heads: { ...r.heads, [head.conversationId]: head } }
}

/**
 * Drops the least recently changed transcripts above MAX_VIEWS. It keeps transcripts with runs, the transcript of the
 * process, and the transcript with the id keep.
 */
export function keepViews(r: RealmModel, keep = ''): RealmModel {
  const ids = Object.keys(r.views)
  if (ids.length <= MAX_VIEWS) return r
  const idle = Object.values(r.views)
    .filter(
      (v) =>
        v.conversationId !== keep &&
        v.conversationId !== r.world.processState.conversationId &&
        v.activeRuns.length === 0,
    )
    .sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? -1 : 1))
    .slice(0, ids.length - MAX_VIEWS)
  if (idle.length === 0) return r
  const gone = new Set(idle.map((v) => v.conversationId))
  const views: Views = Object.fromEntries(Object.entries(r.views).filter(([id]) => !gone.has(id)))
  const completeFrom = Object.fromEntries(Object.entries(r.completeFrom).filter(([id]) => !gone.has(id)))
  return {
    ...r,
    views,
    completeFrom,
    heads: { ...r.heads, ...Object.fromEntries(idle.map((v) => [v.conversationId, infoOf(v)])) },
  }
}

/** The head of a conversation (what the list shows of it), from its view. */
export function infoOf(v: ConversationView): ConversationInfo {
  const {
    messages,
    hasMore: _,
    activeRuns: __,
    activeRun: ___,
    lastSeq: ____,
    plan: _____,
    lastRun: ______,
    ...head
  } = v
  return { ...head, messages: messages.length }
}
