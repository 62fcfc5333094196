// Applies the server's welcome, and the snapshot after it, to the model. Pure.
import type { Preview, Welcome, WorldState } from '../net/protocol.gen'
import { labelsOf } from './agent-labels'
import { EMPTY, type Model, type RealmModel } from './model'
import { notesOf } from './notes'
import { everyRoom, keepRooms, withoutPaths } from './rooms'
import { infoOf, firstCompleteSeq } from './snapshots'
import { emptyWorld } from './world'

/** The initial values of the fields of a realm that do not come from the world. */
const FRESH: Omit<RealmModel, 'id' | 'epoch' | 'world' | 'mapGeneration'> = {
  agentLabels: [],
  views: {},
  streams: {},
  completeFrom: {},
  heads: {},
  moreHeads: null,
  page: null,
  begun: null,
  overtaken: null,
  sessionNotices: {},
  teams: null,
  listed: null,
  programs: null,
  ready: null,
  opened: {},
  receipt: null,
  notes: [],
  restored: null,
  thoughts: {},
  reading: null,
  rooms: {},
  details: {},
  stale: new Set(),
  places: {},
  attached: 0,
  changes: [],
  moment: null,
}

export function welcome(m: Model, f: Welcome): Model {
  const fresh = { ...m, welcome: f, save: null, progress: null }
  if (f.realmId === null || f.continuity === 'none') return { ...fresh, realm: null, spectators: EMPTY.spectators }
  if (!m.realm || m.realm.id !== f.realmId) return { ...fresh, realm: null, spectators: EMPTY.spectators }
  // If the realm is the same, the page shows the realm's old state until the new state arrives. Each epoch (one
  // opening of the realm by a server) counts the generations of the map from the beginning.
  const moved = f.mapGeneration !== m.realm.mapGeneration || f.epoch !== m.realm.epoch
  // A snapshot brings the map of f.mapGeneration at once. After a replay, the frame map:changed brings it, if the map
  // has changed: until then the page has the map of the generation before.
  const awaited = moved && f.continuity === 'replay' ? f.mapGeneration - 1 : f.mapGeneration
  return {
    ...fresh,
    realm: {
      ...m.realm,
      epoch: f.continuity === 'replay' ? (f.epoch ?? m.realm.epoch) : m.realm.epoch,
      mapGeneration: awaited,
      stale: moved ? everyRoom(m.realm) : m.realm.stale,
    },
  }
}

export function snapshot(m: Model, f: WorldState): Model {
  const same = m.realm?.id === f.world.realm.id ? m.realm : null
  return {
    ...m,
    spectators: { count: Math.max(m.spectators.count, f.spectators?.length ?? 0), list: f.spectators ?? [] },
    realm: realmOf(same, f, m.welcome?.epoch ?? f.epoch),
  }
}

/** A realm model with nothing but the map of a folder that is not linked yet. */
export function realmOfPreview({ realmId, name, country }: Preview): RealmModel {
  const world = { ...emptyWorld({ id: realmId, name, tenant: '' }), country }
  return { ...FRESH, id: realmId, epoch: '', mapGeneration: 0, world }
}

/**
 * The realm's model after a snapshot. same: the model of the same realm before the snapshot, from which the result
 * keeps what the snapshot does not contain; null if the page showed another realm.
 */
function realmOf(same: RealmModel | null, f: WorldState, epoch: string): RealmModel {
  const { world } = f
  const generation = world.map.generation
  // If something was erased while this page was not connected, keep nothing that could contain erased words.
  const whole = (world.erased ?? []).every((id) => same?.world.erased.includes(id))
  const kept = same ?? FRESH
  const trusted = whole ? kept : FRESH
  const views = viewsOf(f)
  const left = Object.values(trusted.views).filter((v) => !views[v.conversationId])
  const { begun, ready, receipt, restored, attached, changes, moment } = kept
  const { page, overtaken, sessionNotices, teams, opened, details } = trusted
  return {
    ...FRESH,
    ...{ begun, ready, receipt, restored, attached, changes, moment },
    ...{ page, overtaken, sessionNotices, teams, opened, details },
    id: world.realm.id,
    epoch,
    world: { ...world, tick: f.seq },
    agentLabels: labelsOf(world.agents, kept.agentLabels),
    views,
    completeFrom: Object.fromEntries(Object.entries(views).map(([id, v]) => [id, firstCompleteSeq(v.messages)])),
    // Heads (conversations without their rows) from before the snapshot can be outdated. The page shows them until
    // the server has sent the list again.
    heads: { ...trusted.heads, ...Object.fromEntries(left.map((v) => [v.conversationId, infoOf(v)])) },
    mapGeneration: generation,
    notes: whole && same ? same.notes : notesOf(f),
    rooms: keepRooms(kept.rooms, f.rooms ?? []),
    stale: withoutPaths(
      same && same.mapGeneration !== generation ? everyRoom(same) : kept.stale,
      (f.rooms ?? []).map((room) => room.path),
    ),
  }
}

function viewsOf(f: WorldState): RealmModel['views'] {
  return Object.fromEntries(
    (f.conversations ?? []).map((v) => [
      v.conversationId,
      { ...v, messages: v.messages ?? [], activeRuns: v.activeRuns ?? [] },
    ]),
  )
}
