// The reducer of the page's model. Pure. The caller (net/session) has already checked that an event is the next
// one. The functions that apply a frame to a part of the model are in the file of that part.
import { isEvent } from '../net/frames'
import type { EventFrame, ServerFrame } from '../net/protocol.gen'
import { snapshot, welcome } from './attach'
import { applyByType, type ByType } from './by-type'
import { eraseSpectators } from './erased'
import { applyEvent } from './events'
import type { Model, RealmModel } from './model'
import { addNote, applyReply } from './notes'
import { changedOnDisk, keepRoom } from './rooms'
import { applySaved } from './session-notices'
import { keepOpened } from './skills'
import { applyListed, applySnapshot, type Asked } from './snapshots'
import { applyDelta, applyTurn, overlayStreams } from './views'

type Ephemeral = Exclude<ServerFrame, EventFrame>

/**
 * Applies one frame of the server to the model. Returns m itself if nothing changes. request: the request that the
 * frame answers.
 */
export function reduce(m: Model, f: ServerFrame, request?: Asked): Model {
  if (isEvent(f))
    return m.realm ? { ...m, spectators: eraseSpectators(m.spectators, f), realm: applyEvent(m.realm, f) } : m
  if (f.type === 'snapshot') return realm(m, (r) => applySnapshot(r, f, request))
  if (f.type === 'conversation.listed') return realm(m, (r) => applyListed(r, f, request?.before !== undefined))
  if (f.type === 'command:reply') return realm(m, (r) => applyReply(r, f, request?.typedIn))
  const next = applyByType(OF_SERVER, m, f)
  return realm(next, (r) => applyByType(OF_REALM, r, f))
}

/** Frames about the server, this socket and its person. */
const OF_SERVER: ByType<Ephemeral, Model> = {
  'server:info': (m, f) => ({ ...m, server: f }),
  welcome,
  'world:state': snapshot,
  'spectator:welcome': (m, f) => ({ ...m, me: f }),
  'spectator:list': (m, f) => ({
    ...m,
    spectators: { count: f.count, unnamed: f.unnamed ?? 0, list: f.spectators ?? [], left: f.left ?? [] },
  }),
  'realm:list': (m, f) => ({ ...m, realms: { ...f, realms: f.realms ?? [] } }),
  'realm:progress': (m, f) => ({ ...m, progress: f }),
  'realm:removed': (m, f) =>
    m.realms ? { ...m, realms: { ...m.realms, realms: m.realms.realms.filter((r) => r.id !== f.realmId) } } : m,
  'save:status': (m, f) => ({ ...m, save: f }),
}

/**
 * Frames about the watched realm. A chat.started with the field repeated has no entry here, because the transcript
 * already has the run from the event chat.started.
 */
const OF_REALM: ByType<Ephemeral, RealmModel> = {
  overlays: (r, f) => ({
    ...r,
    streams: overlayStreams(f.segments),
    places: f.agents ?? {},
    attached: r.attached + 1,
  }),
  'process:turn': (r, f) => ({ ...r, views: applyTurn(r.views, f) }),
  'agent:thought': (r, f) => ({ ...r, thoughts: { ...r.thoughts, [f.agentId]: f.text } }),
  'process:progress': (r, f) => ({ ...r, reading: f }),
  'chat.delta': (r, f) => {
    const streams = applyDelta(r.streams, f)
    return streams === r.streams ? r : { ...r, streams }
  },
  'map:change': keepRoom,
  'agent:details': (r, f) => ({ ...r, details: { ...r.details, [f.agentId]: f } }),
  'map:changed': changedOnDisk,
  'conversation.overtaken': (r, f) => ({ ...r, overtaken: f }),
  'team:listed': (r, f) => ({ ...r, teams: f.teams ?? [] }),
  'session:listed': (r, f) => ({ ...r, listed: f.sessions, programs: f.programs }),
  'session:saved': (r, f) => ({ ...r, sessionNotices: applySaved(r.sessionNotices, f) }),
  'skill:opened': (r, f) => ({ ...r, opened: keepOpened(r.opened, f) }),
  'history:receipt': (r, f) => ({ ...r, receipt: f.receipt }),
  // Only errors that answer no pending command arrive here; net/session shows all others with their commands.
  error: (r, f) => addNote(r, { kind: 'error', error: f }),
}

function realm(m: Model, change: (r: RealmModel) => RealmModel): Model {
  if (!m.realm) return m
  const next = change(m.realm)
  return next === m.realm ? m : { ...m, realm: next }
}
