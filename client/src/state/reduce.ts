// The one way in which the page's model changes. Pure: the caller (net/session)
// has already judged whether a frame is the next one.
import { isEvent } from '../net/frames'
import type {
  ChatRepeated,
  CommandReply,
  EventFrame,
  MapChange,
  MapChanged,
  ServerFrame,
  SkillOpened,
  Welcome,
  WorldState,
} from '../net/protocol.gen'
import { holding } from './board'
import { eraseRest, eraseSpectators } from './erased'
import { facesOf } from './faces'
import {
  EMPTY,
  MAX_CHANGES,
  MAX_NOTES,
  MAX_OPENED,
  MAX_ROOMS,
  roomKey,
  type Model,
  type Note,
  type RealmModel,
} from './model'
import { applyHeads, applyListed, applySnapshot, infoOf, keepViews, reachOf, type Asked } from './snapshots'
import { applySaved, applySessions } from './session'
import { applyDelta, applyStreams, applyTurn, applyViews, overlayStreams } from './views'
import { applyWorld } from './world'

/**
 * Folds one frame into the model. Frames that say nothing new give m itself. asked: what a snapshot or a list answers.
 */
export function reduce(m: Model, f: ServerFrame, asked?: Asked): Model {
  if (isEvent(f))
    return m.realm ? { ...m, spectators: eraseSpectators(m.spectators, f), realm: applyEvent(m.realm, f) } : m
  switch (f.type) {
    case 'server:info':
      return { ...m, server: f }
    case 'welcome':
      return welcome(m, f)
    case 'world:state':
      return snapshot(m, f)
    case 'overlays':
      return realm(m, (r) => ({
        ...r,
        streams: overlayStreams(f.segments),
        places: f.agents ?? {},
        attached: r.attached + 1,
      }))
    case 'spectator:welcome':
      return { ...m, me: f }
    case 'spectator:list':
      return { ...m, spectators: { count: f.count, list: f.spectators ?? [] } }
    case 'realm:list':
      return { ...m, realms: { ...f, realms: f.realms ?? [] } }
    case 'realm:progress':
      return { ...m, progress: f }
    case 'realm:removed':
      return m.realms ? { ...m, realms: { ...m.realms, realms: m.realms.realms.filter((r) => r.id !== f.realmId) } } : m
    case 'save:status':
      return { ...m, save: f }
    case 'process:turn':
      return realm(m, (r) => ({ ...r, views: applyTurn(r.views, f) }))
    case 'agent:thought':
      return realm(m, (r) => ({ ...r, thoughts: { ...r.thoughts, [f.agentId]: f.text } }))
    case 'chat.delta':
      return realm(m, (r) => {
        const streams = applyDelta(r.streams, f)
        return streams === r.streams ? r : { ...r, streams }
      })
    case 'map:change':
      return realm(m, (r) => keepRoom(r, f))
    case 'agent:details':
      return realm(m, (r) => ({ ...r, details: { ...r.details, [f.agentId]: f } }))
    case 'map:changed':
      return realm(m, (r) => changedOnDisk(r, f))
    case 'snapshot':
      return realm(m, (r) => applySnapshot(r, f, asked))
    case 'conversation.listed':
      return realm(m, (r) => applyListed(r, f, asked?.before !== undefined))
    case 'conversation.overtaken':
      return realm(m, (r) => ({ ...r, overtaken: f }))
    case 'team:listed':
      return realm(m, (r) => ({ ...r, teams: f.teams ?? [] }))
    case 'session:saved':
      return realm(m, (r) => ({ ...r, sessions: applySaved(r.sessions, f) }))
    case 'skill:opened':
      return realm(m, (r) => ({
        ...r,
        opened: keepOpened(r.opened, f),
      }))
    case 'history:receipt':
      return realm(m, (r) => ({ ...r, receipt: f.receipt }))
    case 'command:reply':
      // What became of a conversation is seen there.
      if (/^(conversation\.|chat\.|team:|skill:|history:)/.test(f.command)) return m
      return f.text ? realm(m, (r) => (isTold(r, f) ? r : addNote(r, { kind: 'reply', reply: f }))) : m
    case 'chat.started': // the sender's own run, repeated: what it says is already in the transcript
      return m
    case 'error': // only one that no waiting command claims, see net/session
      return realm(m, (r) => addNote(r, { kind: 'error', error: f }))
    default:
      return m
  }
}

/** The newest MAX_OPENED skills; the one that was opened is the newest. */
function keepOpened(opened: RealmModel['opened'], f: SkillOpened): RealmModel['opened'] {
  const { [f.name]: _, ...others } = opened
  return Object.fromEntries(Object.entries({ ...others, [f.name]: f.files ?? {} }).slice(-MAX_OPENED))
}

function realm(m: Model, change: (r: RealmModel) => RealmModel): Model {
  if (!m.realm) return m
  const next = change(m.realm)
  return next === m.realm ? m : { ...m, realm: next }
}

function welcome(m: Model, f: Welcome): Model {
  const fresh = { ...m, welcome: f, save: null, progress: null }
  if (f.realmId === null || f.continuity === 'none') return { ...fresh, realm: null, spectators: EMPTY.spectators }
  if (!m.realm || m.realm.id !== f.realmId) return { ...fresh, realm: null, spectators: EMPTY.spectators }
  // The same realm again: what is on the screen stays until its successor is here.
  const moved = f.mapGeneration !== m.realm.mapGeneration
  return {
    ...fresh,
    realm: {
      ...m.realm,
      epoch: f.continuity === 'replay' ? (f.epoch ?? m.realm.epoch) : m.realm.epoch,
      mapGeneration: f.mapGeneration,
      stale: moved ? everyRoom(m.realm) : m.realm.stale,
    },
  }
}

function snapshot(m: Model, f: WorldState): Model {
  const id = f.world.realm.id
  const same = m.realm?.id === id ? m.realm : null
  const views: Record<string, RealmModel['views'][string]> = {}
  const reach: Record<string, number> = {}
  for (const v of f.conversations ?? []) {
    views[v.conversationId] = { ...v, messages: v.messages ?? [], activeRuns: v.activeRuns ?? [] }
    reach[v.conversationId] = reachOf(v.messages ?? [])
  }
  // What was erased while this page was away is not shown from before.
  const whole = f.world.erased?.every((id) => same?.world.erased.includes(id)) ?? true
  const left = whole ? Object.values(same?.views ?? {}).filter((v) => !views[v.conversationId]) : []
  const moved = same?.mapGeneration !== f.world.map.generation
  return {
    ...m,
    spectators: { count: Math.max(m.spectators.count, f.spectators?.length ?? 0), list: f.spectators ?? [] },
    realm: {
      id,
      epoch: m.welcome?.epoch ?? f.epoch,
      world: { ...f.world, tick: f.seq },
      faces: facesOf(f.world.agents, same?.faces ?? []),
      views,
      streams: {},
      reach,
      // Heads may be old: they are shown until the list has been asked for again.
      heads: { ...(whole ? same?.heads : {}), ...Object.fromEntries(left.map((v) => [v.conversationId, infoOf(v)])) },
      moreHeads: null,
      page: whole ? (same?.page ?? null) : null,
      begun: same?.begun ?? null,
      overtaken: whole ? (same?.overtaken ?? null) : null,
      sessions: whole ? (same?.sessions ?? {}) : {},
      teams: whole ? (same?.teams ?? null) : null,
      ready: same?.ready ?? null,
      opened: whole ? (same?.opened ?? {}) : {},
      receipt: same?.receipt ?? null,
      mapGeneration: f.world.map.generation,
      notes: whole && same ? same.notes : told(f),
      restored: same?.restored ?? null,
      thoughts: {},
      rooms: keepRooms(same?.rooms ?? {}, f.rooms ?? []),
      details: whole ? (same?.details ?? {}) : {},
      stale: without(
        same && moved ? everyRoom(same) : (same?.stale ?? NOTHING),
        (f.rooms ?? []).map((room) => room.path),
      ),
      places: {},
      attached: same?.attached ?? 0,
      changes: same?.changes ?? [],
      moment: same?.moment ?? null,
    },
  }
}

function applyEvent(before: RealmModel, ev: EventFrame): RealmModel {
  const r = applyHeads(before, ev)
  const world = applyWorld(r.world, ev)
  const folded: RealmModel = {
    ...r,
    world,
    faces: world.agents === r.world.agents ? r.faces : facesOf(world.agents, r.faces),
    views: applyViews(r.views, ev),
    streams: applyStreams(r.streams, ev),
    sessions: applySessions(r.sessions, ev),
    ready: ev.type === 'team:ready' ? ev : r.ready,
    // A session that was set or rested is told anew where teams are listed.
    teams: ev.type === 'team:ready' ? null : r.teams,
    thoughts: endThought(r.thoughts, ev),
    places: ev.type === 'agent:goes' || ev.type === 'agent:left' ? endPlace(r.places, ev.agentId) : r.places,
  }
  const next =
    ev.type === 'conversation.started'
      ? keepViews(
          { ...folded, begun: { conversationId: ev.conversation.conversationId, requestId: ev.requestId ?? '' } },
          ev.conversation.conversationId,
        )
      : folded
  if (ev.type === 'history:erased') return eraseRest(next, ev)
  if (ev.type === 'realm:restored') {
    const p = next.world.processState
    next.restored = {
      event: ev,
      stageIndex: p.currentStageIndex,
      stages: p.template?.stages.length ?? 0,
      findings: holding(next.world.findings),
      savedAt:
        ev.since ??
        Object.values(before.views).reduce<string | null>(
          (last, v) => (v.updatedAt !== null && (last === null || v.updatedAt > last) ? v.updatedAt : last),
          null,
        ),
      process: p.status,
    }
  }
  return isNote(ev, next.world.processState.conversationId) ? addNote(next, { kind: 'event', event: ev }) : next
}

function endThought(thoughts: RealmModel['thoughts'], ev: EventFrame): RealmModel['thoughts'] {
  if (ev.type !== 'chat.done' && ev.type !== 'chat.error' && ev.type !== 'chat.cancelled' && ev.type !== 'agent:left')
    return thoughts
  const id = ev.type === 'agent:left' ? ev.agentId : ev.memberId
  if (!(id in thoughts)) return thoughts
  const { [id]: _, ...rest } = thoughts
  return rest
}

/**
 * Events that a reader of the process's transcript wants to see between its rows; other conversations have rows for
 * theirs.
 */
function isNote(ev: EventFrame, processId: string): boolean {
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
      // The others follow from something that has its own line.
      return ev.reason === 'person' || ev.reason === 'interrupted' || ev.reason === 'dismissed'
    default:
      return false
  }
}

/** Whether a line for everyone already says what a command led to. */
function isTold(r: RealmModel, reply: CommandReply): boolean {
  const seq = reply.seq ?? 0
  return seq > 0 && r.notes.some(({ what }) => what.kind === 'event' && what.event.seq >= seq)
}

/** The lines between the rows that a snapshot brings: each stands after the last row that was there before it. */
function told(f: WorldState): Note[] {
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

function addNote(r: RealmModel, what: Note['what']): RealmModel {
  const rows = r.views[r.world.processState.conversationId]?.messages
  const note: Note = { id: ++lastNote, after: rows?.at(-1)?.messageId ?? null, what }
  return { ...r, notes: [...r.notes.slice(-(MAX_NOTES - 1)), note] }
}

function endPlace(places: RealmModel['places'], id: string): RealmModel['places'] {
  if (!(id in places)) return places
  const { [id]: _, ...rest } = places
  return rest
}

const NOTHING: ReadonlySet<string> = new Set()

function keepRoom(r: RealmModel, f: MapChange): RealmModel {
  return { ...r, rooms: keepRooms(r.rooms, [f]), stale: without(r.stale, [f.path]) }
}

/** The newest rooms; those that came first go. */
function keepRooms(rooms: RealmModel['rooms'], more: readonly MapChange[]): RealmModel['rooms'] {
  let kept = rooms
  for (const f of more) {
    const key = roomKey(f.path, f.page)
    const others = Object.entries(kept).filter(([k]) => k !== key)
    kept = { ...Object.fromEntries(others.slice(-(MAX_ROOMS - 1))), [key]: f }
  }
  return kept
}

const everyRoom = (r: RealmModel): ReadonlySet<string> => new Set(Object.values(r.rooms).map((room) => room.path))

function without(stale: ReadonlySet<string>, paths: readonly string[]): ReadonlySet<string> {
  return paths.some((p) => stale.has(p)) ? new Set([...stale].filter((p) => !paths.includes(p))) : stale
}

/**
 * What is derived from the disk follows the disk; rooms that changed are shown until they have been asked for again.
 */
function changedOnDisk(r: RealmModel, f: MapChanged): RealmModel {
  if (f.generation <= r.mapGeneration) return r
  const known = everyRoom(r)
  const changed = f.all ? known : new Set([...r.stale, ...(f.folders ?? []).filter((p) => known.has(p))])
  return {
    ...r,
    mapGeneration: f.generation,
    world: { ...r.world, map: f.map, mapTree: f.mapTree ?? r.world.mapTree, country: f.country ?? r.world.country },
    stale: changed,
    changes: [...r.changes, ...(f.changes ?? [])].slice(-MAX_CHANGES),
    moment: f.moment ? f : r.moment,
  }
}

/** Tells the two frames named chat.started apart. */
export function isRepeated(f: ServerFrame): f is ChatRepeated {
  return f.type === 'chat.started' && 'repeated' in f && f.repeated === true
}
