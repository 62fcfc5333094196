// Applies events to the page's world. It mirrors Apply of shared/world, so that a page with every event has the
// same world as the server. replay.test.ts compares the results for recorded journals. Pure: the result shares
// unchanged parts with its input, which is never changed.
import { applyByType, type ByType } from './by-type'
import { addWord, moveWord, putSession } from './agent-words'
import { closeDoor, openDoor } from './doors'
import { eraseWorld } from './erased'
import { layer } from './grid'
import { enter, leave, without } from './navigation'
import { makerSpot, placeSpot, settle } from './objects'
import { clearCollision, putCollision, touchFiles } from './touches'
import { changeUsage } from './usage'
import type {
  Agent,
  AgentGoes,
  Casting,
  ChatStarted,
  EventFrame,
  Finding,
  FindingWithdrawn,
  Instance,
  Party,
  ProcessState,
  Realm,
  World,
} from '../net/protocol.gen'

/** A world before its first event. */
export function emptyWorld(realm: Realm = { id: '', name: '', tenant: 'default' }): World {
  return {
    realm,
    agents: [],
    map: { generation: 0, files: 0, folders: 0, bytes: 0, source: 'none', scannedAt: null },
    mapTree: { name: '', path: '', files: 0, folders: 0, children: [] },
    country: { tiles: { name: '', width: 0, height: 0, runs: [] }, sites: [] },
    objects: [],
    quests: [],
    findings: [],
    artifacts: [],
    tick: 0,
    processState: emptyProcess(),
    navigationState: { agentNavStacks: {}, agentCurrentPath: {}, walkers: [] },
    settings: {
      maxAgents: 12,
      pace: 'watchable',
      autonomyMode: 'autonomous',
      turnTimeoutSeconds: 120,
      taskMaxTurns: 6,
      maxConcurrentConversations: 3,
      contextWindowMessages: 50,
      agentChats: 'on',
    },
    fog: [],
    forts: [],
    paths: [],
    explored: [],
    focus: [],
    party: nobodySet(),
    skills: [],
    erased: [],
    instances: [],
  }
}

/** The maximum number of members whose newest instance is kept. */
const MAX_INSTANCES = 256

/** The maximum number of sessions of coding agents that are kept. */
const MAX_SESSIONS = 200

/** The party of a realm that has no current team. */
function nobodySet(): Party {
  return {
    teamId: '',
    conversationId: '',
    status: 'idle',
    waitingFor: '',
    executing: null,
    queue: [],
    teamTask: '',
    seats: [],
    newest: '',
    local: 0,
    turns: 0,
    asked: 0,
  }
}

function emptyProcess(): ProcessState {
  return {
    status: 'idle',
    currentStageIndex: 0,
    collectedArtifacts: {},
    problemStatement: '',
    templateId: '',
    stageTurnCounts: {},
    agentTurnCounts: {},
    stageStartedAt: null,
    skips: {},
    template: null,
    conversationId: '',
    stageAttempt: 0,
    cast: [],
    sealed: null,
    waiting: null,
  }
}

/** Applies one durable event to the world. An event of an unknown type only changes the tick. */
export function applyWorld(w: World, ev: EventFrame): World {
  const next = applyByType(FOLD, w, ev)
  return next === w ? { ...w, tick: ev.seq } : Object.assign(next, { tick: ev.seq })
}

/**
 * For each type of event, the function that applies the event. It returns a new world, or w itself if nothing
 * changes.
 */
const FOLD: ByType<EventFrame, World> = {
  'realm:created': (w, ev) => ({ ...w, realm: ev.realm, settings: ev.settings }),
  'realm:restored': (w, ev) =>
    process(
      (ev.instances ?? []).reduce(played, {
        ...w,
        realm: ev.realm ?? w.realm,
        ...(ev.salvage ? { salvage: ev.salvage } : {}),
      }),
      (p) => ({
        ...p,
        stageTurnCounts: { ...p.stageTurnCounts, ...ev.stageTurnCounts },
        agentTurnCounts: { ...p.agentTurnCounts, ...ev.agentTurnCounts },
      }),
    ),
  'party:update': (w, ev) => ({ ...w, party: ev.party }),
  'skill:updated': (w, ev) => ({ ...w, skills: put(w.skills, ev.skill, (s) => s.name === ev.skill.name) }),
  'skill:removed': (w, ev) => ({ ...w, skills: w.skills.filter((s) => s.name !== ev.name) }),
  'history:erased': (w, ev) => eraseWorld(w, ev, emptyProcess, nobodySet()),
  'settings:updated': (w, ev) => ({ ...w, settings: ev.settings }),
  'agent:joined': (w, ev) => ({ ...w, agents: put(w.agents, ev.agent, (a) => a.id === ev.agent.id) }),
  'agent:left': (w, ev) => ({
    ...w,
    agents: w.agents.filter((a) => a.id !== ev.agentId),
    navigationState: leave(w.navigationState, ev.agentId),
  }),
  'agent:activity': (w, ev) => agent(w, ev.agentId, (a) => ({ ...a, activity: ev.activity })),
  'agent:state': (w, { agentId, state, wait, reason, source, since, path, edits, testsFailed }) =>
    agent(w, agentId, (a) => ({
      ...a,
      status: state === 'working' ? 'running' : 'idle',
      state: {
        state,
        ...(wait ? { wait } : {}),
        ...(reason ? { reason } : {}),
        source,
        since,
        ...(path ? { path } : {}),
        ...(edits ? { edits } : {}),
        ...(testsFailed ? { testsFailed } : {}),
      },
    })),
  'session:read': (w, { session }) => ({
    ...w,
    sessions: putSession(w.sessions ?? [], session).slice(-MAX_SESSIONS),
  }),
  'door:opened': (w, { type: _, seq: __, at: ___, ...door }) => openDoor(w, door),
  'door:closed': (w, ev) => closeDoor(w, ev),
  'word:queued': (w, { wordId, agentId, conversationId, text, spectatorId, name, since, state, stop }) =>
    addWord(w, {
      wordId,
      agentId,
      conversationId,
      text,
      spectatorId,
      ...(name ? { name } : {}),
      since,
      ...(state ? { state } : {}),
      ...(stop ? { stop } : {}),
    }),
  'word:state': (w, ev) => moveWord(w, ev),
  'file:touched': (w, { touches }) => touchFiles(w, touches),
  'collision:found': (w, { path, agentIds, why, since }) => putCollision(w, { path, agentIds, why, since }),
  'collision:cleared': (w, { path }) => clearCollision(w, path),
  'usage:changed': changeUsage,
  'agent:goes': goes,
  'fort:update': (w, ev) => {
    const kept = ev.removes ? w.forts.filter((f) => f.agentId !== ev.removes) : w.forts
    const next = { ...w, forts: put(kept, ev.fort, (f) => f.agentId === ev.fort.agentId) }
    return settle(next, makerSpot(ev.fort.agentId), ev.removes ? makerSpot(ev.removes) : undefined)
  },
  'navigation:changed': (w, ev) => {
    const { spectatorId, forgets } = ev
    const before = forgets ? leave(w.navigationState, forgets) : w.navigationState
    const walkers = [...before.walkers.filter((id) => id !== spectatorId && id !== forgets), spectatorId]
    return { ...w, navigationState: { ...enter(before, spectatorId, ev.path, ev.stack), walkers } }
  },
  'findings:posted': (w, ev) => {
    const was = w.findings.find((f) => f.id === ev.finding.id)
    const next = { ...w, findings: put(w.findings, ev.finding, (f) => f.id === ev.finding.id) }
    return settle(next, placeSpot(ev.finding.path), was && placeSpot(was.path))
  },
  'findings:withdrawn': (w, ev) => {
    const gone = w.findings.find((f) => f.id === ev.findingId)
    return settle(
      { ...w, findings: w.findings.map((f) => (f.id === ev.findingId ? withdrawn(f, ev) : f)) },
      gone && placeSpot(gone.path),
    )
  },
  'quest:update': (w, ev) => {
    const was = w.quests.find((q) => q.id === ev.quest.id)
    const next = { ...w, quests: put(w.quests, ev.quest, (q) => q.id === ev.quest.id) }
    return settle(next, placeSpot(ev.quest.path), was && placeSpot(was.path))
  },
  'focus:changed': (w, ev) => {
    const { spectatorId, agentId, forgets } = ev
    const others = w.focus.filter((f) => f.spectatorId !== spectatorId && f.spectatorId !== forgets)
    return { ...w, focus: agentId === '' ? others : [...others, { spectatorId, agentId }] }
  },
  'artifact:saved': (w, ev) => {
    const { id, name, agentId } = ev.artifact
    const was = w.artifacts.find((a) => a.id === id)
    const collected = w.processState.collectedArtifacts
    const ids = put(collected[name] ?? [], id, (known) => known === id)
    const next = {
      ...w,
      artifacts: put(w.artifacts, ev.artifact, (a) => a.id === id),
      processState: { ...w.processState, collectedArtifacts: { ...collected, [name]: ids } },
    }
    return settle(next, makerSpot(agentId), was && makerSpot(was.agentId))
  },
  'process:started': (w, ev) => ({
    ...w,
    processState: {
      ...emptyProcess(),
      status: 'running',
      currentStageIndex: ev.stageIndex,
      problemStatement: ev.problem,
      templateId: ev.templateId,
      template: ev.template,
      conversationId: ev.conversationId,
      stageAttempt: 1,
      stageStartedAt: ev.at,
      cast: ev.cast ?? [],
    },
  }),
  'process:cast': (w, ev) => process(w, (p) => ({ ...p, cast: replace(p.cast, ev.casting) })),
  'process:stage_advanced': (w, ev) =>
    process(w, (p) => ({
      ...p,
      currentStageIndex: ev.stageIndex,
      stageAttempt: 1,
      stageStartedAt: ev.at,
      sealed: null,
      waiting: null,
    })),
  'process:stage_restarted': (w, ev) =>
    process(w, (p) => ({
      ...p,
      stageAttempt: ev.attempt,
      stageStartedAt: ev.at,
      sealed: null,
      waiting: null,
      stageTurnCounts: without(p.stageTurnCounts, ev.counts),
      agentTurnCounts: without(p.agentTurnCounts, ev.counts),
      skips: without(p.skips, ev.counts),
    })),
  'process:pausing': (w, ev) => process(w, (p) => ({ ...pausedBy(p, ev), pausing: true })),
  'process:paused': (w, ev) =>
    process(w, (p) => ({
      ...pausedBy(p, ev),
      status: 'paused',
      pausing: false,
      reason: ev.reason ?? '',
      waiting: null,
    })),
  'process:resumed': (w, ev) =>
    process(w, (p) => ({
      ...pausedBy(p, {}),
      status: 'running',
      pausing: false,
      reason: '',
      waiting: null,
      resumedSeq: ev.seq,
      approved: ev.approved || p.approved,
    })),
  'process:sealed': (w, ev) => process(w, (p) => ({ ...p, sealed: { roleId: ev.roleId, summary: ev.summary } })),
  'process:waiting': (w, ev) => process(w, (p) => ({ ...p, waiting: ev.waiting ?? null })),
  'process:completed': (w, { early = false }) =>
    process(w, (p) => ({ ...pausedBy(p, {}), status: 'completed', pausing: false, early, reason: '', waiting: null })),
  'process:skipped': (w, ev) => process(w, (p) => ({ ...p, skips: { ...p.skips, ...ev.skips }, waiting: null })),
  'chat.started': started,
  'chat.done': (w, ev) => {
    const turn = ev.conversationId === w.processState.conversationId ? ev.turn : undefined
    const counted = turn
      ? process(w, (p) => ({
          ...p,
          stageTurnCounts: { ...p.stageTurnCounts, [turn.stageId]: turn.stageTurns },
          agentTurnCounts: { ...p.agentTurnCounts, [`${turn.stageId}:${ev.memberId}`]: turn.memberTurns },
        }))
      : w
    return status(counted, ev.memberId, 'idle')
  },
  'chat.error': (w, ev) => status(w, ev.memberId, 'idle'),
  'chat.cancelled': (w, ev) => status(w, ev.memberId, 'idle'),
}

/** The process with the author of an event as the person who asked for its pause; without one if it has no author. */
function pausedBy({ pausedBy: _, ...p }: ProcessState, { by, name }: { by?: string; name?: string }): ProcessState {
  return by ? { ...p, pausedBy: { by, ...(name ? { name } : {}) } } : p
}

function process(w: World, change: (p: ProcessState) => ProcessState): World {
  return { ...w, processState: change(w.processState) }
}

function agent(w: World, id: string, change: (a: Agent) => Agent): World {
  const i = w.agents.findIndex((a) => a.id === id)
  const found = w.agents[i]
  return found ? { ...w, agents: w.agents.with(i, change(found)) } : w
}

function status(w: World, id: string, to: Agent['status']): World {
  return agent(w, id, (a) => (a.status === to ? a : { ...a, status: to }))
}

function started(w: World, { memberId, instance, status: now }: ChatStarted): World {
  const running = now === 'running' ? status(w, memberId, 'running') : w
  return instance ? played(running, { memberId, instance }) : running
}

/** Sets a member's newest instance and moves it to the end. */
function played(w: World, i: Instance): World {
  return { ...w, instances: [...w.instances.filter((other) => other.memberId !== i.memberId), i].slice(-MAX_INSTANCES) }
}

function replace(cast: Casting[], casting: Casting): Casting[] {
  return cast.map((c) => (c.roleId === casting.roleId ? casting : c))
}

function withdrawn(f: Finding, ev: FindingWithdrawn): Finding {
  const { into: _, ...rest } = f
  return { ...rest, withdrawn: ev.reason, ...(ev.into ? { into: ev.into } : {}) }
}

/** Replaces the entry for which same is true, or appends the value. */
function put<T>(list: T[], value: T, same: (other: T) => boolean): T[] {
  const i = list.findIndex(same)
  return i < 0 ? [...list, value] : list.with(i, value)
}

function goes(w: World, ev: AgentGoes): World {
  const { x, y, realm, inside, page, startsAt, msPerTile, arrivesAt, target } = ev
  const walk = {
    path: ev.path ?? [],
    room: ev.room ?? [],
    startsAt,
    msPerTile,
    arrivesAt,
    ...(target ? { target } : {}),
  }
  const went = agent(w, ev.agentId, ({ inside: _, page: __, ...a }) => ({
    ...a,
    x,
    y,
    realm,
    ...(inside ? { inside } : {}),
    ...(page ? { page } : {}),
    walk,
  }))
  const n = w.navigationState
  return {
    ...went,
    navigationState: went === w ? n : inside ? enter(n, ev.agentId, realm, ev.stack) : leave(n, ev.agentId),
    fog: layer(w.fog, 'explored', ev.revealed ?? [], () => 1),
    paths: layer(w.paths, 'worn', ev.worn ?? [], (i) => ev.wear?.[i] ?? 1),
    explored: ev.first ? [...w.explored, realm] : w.explored,
  }
}
