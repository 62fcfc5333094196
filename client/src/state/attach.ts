// What a page keeps and lets go of when it attaches: a welcome, and the snapshot after it. Pure.
import type { Welcome, WorldState } from '../net/protocol.gen'
import { facesOf } from './faces'
import { EMPTY, type Model, type RealmModel } from './model'
import { notesOf } from './notes'
import { everyRoom, keepRooms, withoutPaths } from './rooms'
import { infoOf, reachOf } from './snapshots'

/** What a realm has of which nothing is known but its world. */
const FRESH: Omit<RealmModel, 'id' | 'epoch' | 'world' | 'mapGeneration'> = {
  faces: [],
  views: {},
  streams: {},
  reach: {},
  heads: {},
  moreHeads: null,
  page: null,
  begun: null,
  overtaken: null,
  sessions: {},
  teams: null,
  ready: null,
  opened: {},
  receipt: null,
  notes: [],
  restored: null,
  thoughts: {},
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

export function snapshot(m: Model, f: WorldState): Model {
  const same = m.realm?.id === f.world.realm.id ? m.realm : null
  return {
    ...m,
    spectators: { count: Math.max(m.spectators.count, f.spectators?.length ?? 0), list: f.spectators ?? [] },
    realm: realmOf(same, f, m.welcome?.epoch ?? f.epoch),
  }
}

/** The realm of a snapshot, with what of the same realm is known beside it. */
function realmOf(same: RealmModel | null, f: WorldState, epoch: string): RealmModel {
  const { world } = f
  const generation = world.map.generation
  // What was erased while this page was away is not shown from before.
  const whole = (world.erased ?? []).every((id) => same?.world.erased.includes(id))
  const kept = same ?? FRESH
  const trusted = whole ? kept : FRESH
  const views = viewsOf(f)
  const left = Object.values(trusted.views).filter((v) => !views[v.conversationId])
  const { begun, ready, receipt, restored, attached, changes, moment } = kept
  const { page, overtaken, sessions, teams, opened, details } = trusted
  return {
    ...FRESH,
    ...{ begun, ready, receipt, restored, attached, changes, moment },
    ...{ page, overtaken, sessions, teams, opened, details },
    id: world.realm.id,
    epoch,
    world: { ...world, tick: f.seq },
    faces: facesOf(world.agents, kept.faces),
    views,
    reach: Object.fromEntries(Object.entries(views).map(([id, v]) => [id, reachOf(v.messages)])),
    // Heads may be old: they are shown until the list has been asked for again.
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
