// What conversation.open and conversation.list bring: pages of transcripts, and
// the heads of those that are not shown. Pure. A view's rows are without a gap from
// its reach on; a page that does not touch them stands by itself.
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

/** Transcripts that are kept at once; those that were changed least lately go, and their heads stay. */
export const MAX_VIEWS = 64
/** Heads of conversations kept. */
const MAX_HEADS = 2_000

/** What of a snapshot's asking matters for where its rows belong. */
export type Asked = Pick<ConversationOpen, 'limit' | 'stageId'> & { before?: number | string }

/** The place from which on a window has every row; 0 where it has none. An older row that was still open came along. */
export function reachOf(rows: readonly Message[]): number {
  return rows.find((m) => m.status !== 'open')?.seq ?? rows[0]?.seq ?? 0
}

/** From where on the page has every row of a conversation; 0 where it has none. */
export function reachIn(r: RealmModel, id: string): number {
  return r.reach[id] || reachOf(r.views[id]?.messages ?? [])
}

/**
 * The rows of both, each once, in their order; where both have one, that of more, unless it is cut and the other is
 * whole.
 */
export function union(rows: readonly Message[], more: readonly Message[]): Message[] {
  const byId = new Map(rows.map((m) => [m.messageId, m]))
  for (const m of more) {
    const other = byId.get(m.messageId)
    byId.set(m.messageId, other && m.tool?.cut && other.status === m.status && !other.tool?.cut ? other : m)
  }
  return [...byId.values()].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
}

/** Takes the answer to a conversation.open in. asked: with what; undefined where nobody here asked. */
export function applySnapshot(r: RealmModel, f: Snapshot, asked: Asked | undefined): RealmModel {
  const { type: _, requestId: __, overlays, ...rest } = f
  // It may have been on its way when it was erased.
  if (isErased(r, rest.conversationId)) return r
  const told: ConversationView = eraseLate(r, {
    ...rest,
    messages: rest.messages ?? [],
    activeRuns: rest.activeRuns ?? [],
    plan: { ...rest.plan, asked: rest.plan.asked ?? [] },
  })
  const before = asked?.before
  if (asked && (asked.stageId || (before !== undefined && before !== reachIn(r, told.conversationId))))
    return placePage(r, told, asked)
  const next = { ...r, streams: mend(r.streams, overlays) }
  if (asked?.limit === 0) return placeHead(next, told)
  return before !== undefined && r.views[told.conversationId] ? placeOlder(next, told) : placeNewest(next, told)
}

/** Whether a snapshot tells at least what is known of its conversation. */
const isAhead = (told: ConversationView, known: ConversationView | undefined): boolean =>
  known === undefined || told.lastSeq >= known.lastSeq

/** What stands in the head of a conversation that is shown; its rows stay. */
function placeHead(r: RealmModel, told: ConversationView): RealmModel {
  const known = r.views[told.conversationId]
  if (known === undefined || !isAhead(told, known)) return r
  const view = { ...told, messages: known.messages, hasMore: known.hasMore }
  return { ...r, views: { ...r.views, [told.conversationId]: view } }
}

/** Rows before the oldest that is here. */
function placeOlder(r: RealmModel, told: ConversationView): RealmModel {
  const id = told.conversationId
  const known = r.views[id] ?? told
  const view = { ...known, messages: union(told.messages, known.messages), hasMore: told.hasMore }
  return {
    ...r,
    views: { ...r.views, [id]: view },
    reach: { ...r.reach, [id]: told.messages[0]?.seq ?? reachIn(r, id) },
  }
}

/** The newest rows: they go on from what is here, or take its place. */
function placeNewest(r: RealmModel, told: ConversationView): RealmModel {
  const id = told.conversationId
  const known = r.views[id]
  const reach = reachOf(told.messages)
  const joins = known !== undefined && (!told.hasMore || known.messages.some((m) => (m.seq ?? 0) >= reach))
  const view = joins ? joined(known, told) : told
  const from = joins ? Math.min(reachIn(r, id) || reach, reach || reachIn(r, id)) : reach
  return keepViews({ ...r, views: { ...r.views, [id]: view }, reach: { ...r.reach, [id]: from } }, id)
}

function joined(known: ConversationView, told: ConversationView): ConversationView {
  const ahead = isAhead(told, known)
  return {
    ...(ahead ? told : known),
    messages: ahead ? union(known.messages, told.messages) : union(told.messages, known.messages),
    hasMore: known.hasMore && told.hasMore,
  }
}

/** A page that is read by itself: of a stage, or around a row; older rows of the same go before it. */
function placePage(r: RealmModel, told: ConversationView, asked: Asked): RealmModel {
  const { conversationId, messages, hasMore } = told
  const stageId = asked.stageId ?? ''
  const known = r.views[conversationId]
  if (asked.limit === 1) return placeWhole(r, messages[0])
  const newest = messages.at(-1)?.seq ?? 0
  const reach = reachIn(r, conversationId)
  // A page that touches the window makes it longer.
  if (
    stageId === '' &&
    known &&
    reach > 0 &&
    newest >= reach &&
    known.messages.length + messages.length <= MAX_MESSAGES
  ) {
    const rows = union(messages, known.messages)
    const oldest = messages[0]?.seq ?? reach
    return {
      ...r,
      page: null,
      views: {
        ...r.views,
        [conversationId]: { ...known, messages: rows, hasMore: oldest < reach ? hasMore : known.hasMore },
      },
      reach: { ...r.reach, [conversationId]: Math.min(reach, oldest) },
    }
  }
  const p = r.page
  const same =
    p !== null &&
    p.conversationId === conversationId &&
    p.stageId === stageId &&
    asked.before !== undefined &&
    asked.before === p.rows[0]?.seq
  const rows = same ? union(messages, p.rows) : messages
  const page: Page = { conversationId, stageId, rows, hasMore }
  return {
    ...r,
    page,
    views: known ? r.views : { ...r.views, [conversationId]: { ...told, messages: [], hasMore: true } },
  }
}

/** One row, whole: it takes its place where it is shown. */
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

/** Overlays go further than what has streamed, or change nothing. */
function mend(streams: Streams, overlays: Snapshot['overlays']): Streams {
  let out = streams
  for (const [id, o] of Object.entries(overlayStreams(overlays)))
    if ((out[id]?.next ?? -1) < o.next) out = { ...out, [id]: o }
  return out
}

/** The list of conversations: its beginning replaces what was known, more goes after it. */
export function applyListed(r: RealmModel, f: ConversationListed, more: boolean): RealmModel {
  const heads: Record<string, ConversationInfo> = more ? { ...r.heads } : {}
  for (const info of f.conversations ?? [])
    if (!isErased(r, info.conversationId) && Object.keys(heads).length < MAX_HEADS) heads[info.conversationId] = info
  return { ...r, heads, moreHeads: f.hasMore && Object.keys(heads).length < MAX_HEADS }
}

/** An event of a conversation whose rows are not here still changes its head. */
export function applyHeads(r: RealmModel, ev: EventFrame): RealmModel {
  const id = conversationOf(ev)
  if (id === undefined || r.views[id]) return r
  const head = r.heads[id]
  // It was not in the list so far and belongs to its beginning now.
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

/** Keeps the number of transcripts in bounds: those at work, the process's and the one called keep stay. */
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
  const reach = Object.fromEntries(Object.entries(r.reach).filter(([id]) => !gone.has(id)))
  return {
    ...r,
    views,
    reach,
    heads: { ...r.heads, ...Object.fromEntries(idle.map((v) => [v.conversationId, infoOf(v)])) },
  }
}

/** A view's line in the list. */
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
