// Each event type changes the world as Apply of shared/world does.
import { describe, expect, it } from 'vitest'
import type { Agent, EventFrame, World } from '../net/protocol.gen'
import { AT, running, started, template, world } from '../testing/samples'
import { applyWorld } from './world'

function freeze<T>(v: T): T {
  if (typeof v === 'object' && v !== null && !Object.isFrozen(v)) {
    Object.freeze(v)
    Object.values(v).forEach(freeze)
  }
  return v
}

/** Applies to a frozen world, so that a fold that changes its input throws. */
const fold = (w: World, ev: EventFrame): World => applyWorld(freeze(w), freeze(ev))

const hero: Agent = {
  id: 'ideator',
  name: 'Ideator',
  displayName: 'Ideator',
  kind: 'agent',
  role: 'ideator',
  color: '#f2b134',
  status: 'idle',
  x: 0,
  y: 0,
  realm: '',
}
const head = { seq: 2, at: AT }

describe('the fold of the world', () => {
  it('moves the tick with every event, known or not', () => {
    expect(fold(world(1), { ...head, type: 'process:error', stageId: 's', code: 'x', message: 'm' }).tick).toBe(2)
    expect(fold(world(1), { ...head, type: 'moon:rose' } as unknown as EventFrame)).toEqual({ ...world(1), tick: 2 })
  })

  it('realm:created', () => {
    const settings = { ...world(0).settings, maxAgents: 3 }
    const w = fold(world(0), {
      type: 'realm:created',
      seq: 1,
      at: AT,
      realm: { id: 'r2', name: 'Two', tenant: 'default' },
      settings,
    })
    expect(w.realm.id).toBe('r2')
    expect(w.settings.maxAgents).toBe(3)
  })

  it('realm:restored sets the counts that the transcript gives and keeps the others', () => {
    const w = running(1, { stageTurnCounts: { ideas: 3, old: 1 } })
    const next = fold(w, {
      ...head,
      type: 'realm:restored',
      source: 'checkpoint',
      restoredTo: 1,
      interruptedRuns: 1,
      missingMembers: [],
      stageTurnCounts: { ideas: 2 },
      agentTurnCounts: { 'ideas:ideator': 2 },
    })
    expect(next.processState.stageTurnCounts).toEqual({ ideas: 2, old: 1 })
    expect(next.processState.agentTurnCounts).toEqual({ 'ideas:ideator': 2 })
  })

  it('settings:updated', () => {
    const settings = { ...world(0).settings, pace: 'instant' as const }
    expect(fold(world(1), { ...head, type: 'settings:updated', settings }).settings).toEqual(settings)
  })

  it('agent:joined adds, and replaces in place; agent:left removes', () => {
    const other = { ...hero, id: 'critic' }
    let w = fold(world(1), { ...head, type: 'agent:joined', agent: hero })
    w = fold(w, { ...head, seq: 3, type: 'agent:joined', agent: other })
    w = fold(w, { ...head, seq: 4, type: 'agent:joined', agent: { ...hero, displayName: 'Ann' } })
    expect(w.agents.map((a) => a.displayName)).toEqual(['Ann', 'Ideator'])
    expect(fold(w, { ...head, seq: 5, type: 'agent:left', agentId: 'ideator', reason: 'stage' }).agents).toEqual([
      other,
    ])
  })

  it('agent:activity touches one agent, an unknown one nobody', () => {
    const w = world(1, { agents: [hero] })
    expect(
      fold(w, { ...head, type: 'agent:activity', agentId: 'ideator', activity: 'reading' }).agents[0]?.activity,
    ).toBe('reading')
    expect(fold(w, { ...head, type: 'agent:activity', agentId: 'nobody', activity: 'reading' }).agents).toBe(w.agents)
  })

  it('findings:posted adds; the same id again replaces in place', () => {
    const f = { id: 'f1', agentId: 'a', severity: 'low' as const, title: 't', text: '', path: '', at: AT }
    let w = fold(world(1), { ...head, type: 'findings:posted', finding: f })
    w = fold(w, { ...head, seq: 3, type: 'findings:posted', finding: { ...f, id: 'f2' } })
    w = fold(w, { ...head, seq: 4, type: 'findings:posted', finding: { ...f, severity: 'high' } })
    expect(w.findings.map((x) => [x.id, x.severity])).toEqual([
      ['f1', 'high'],
      ['f2', 'low'],
    ])
  })

  it('findings:withdrawn keeps the finding with its reason; posted again it holds again', () => {
    const f = { id: 'f1', agentId: 'a', severity: 'low' as const, title: 't', text: '', path: '', at: AT }
    let w = fold(world(1), { ...head, type: 'findings:posted', finding: f })
    w = fold(w, { ...head, seq: 3, type: 'findings:withdrawn', findingId: 'f1', reason: 'the same', into: 'f2' })
    expect(w.findings).toEqual([{ ...f, withdrawn: 'the same', into: 'f2' }])
    w = fold(w, { ...head, seq: 4, type: 'findings:withdrawn', findingId: 'f1', reason: 'gone' })
    expect(w.findings).toEqual([{ ...f, withdrawn: 'gone' }])
    w = fold(w, { ...head, seq: 5, type: 'findings:posted', finding: f })
    expect(w.findings).toEqual([f])
  })

  it('quest:update adds, and replaces by id', () => {
    const q = { id: 'q1', title: 't', status: 'open' as const, priority: 'low' as const }
    let w = fold(world(1), { ...head, type: 'quest:update', quest: q })
    w = fold(w, { ...head, seq: 3, type: 'quest:update', quest: { ...q, status: 'assigned', owner: 'Ada' } })
    expect(w.quests).toEqual([{ ...q, status: 'assigned', owner: 'Ada' }])
  })

  it('focus:changed sets to whom a person speaks, ends it, and forgets another', () => {
    let w = fold(world(1), { ...head, type: 'focus:changed', spectatorId: 'p1', agentId: 'critic' })
    w = fold(w, { ...head, seq: 3, type: 'focus:changed', spectatorId: 'p2', agentId: 'critic' })
    w = fold(w, { ...head, seq: 4, type: 'focus:changed', spectatorId: 'p1', agentId: 'ideator' })
    expect(w.focus).toEqual([
      { spectatorId: 'p2', agentId: 'critic' },
      { spectatorId: 'p1', agentId: 'ideator' },
    ])
    w = fold(w, { ...head, seq: 5, type: 'focus:changed', spectatorId: 'p3', agentId: 'critic', forgets: 'p2' })
    expect(w.focus.map((f) => f.spectatorId)).toEqual(['p1', 'p3'])
    w = fold(w, { ...head, seq: 6, type: 'focus:changed', spectatorId: 'p1', agentId: '' })
    expect(w.focus).toEqual([{ spectatorId: 'p3', agentId: 'critic' }])
  })

  it('artifact:saved keeps the text in the world and the id under its name', () => {
    const a = { id: 'a1', name: 'list', stageId: 'ideas', agentId: 'ideator', text: 'x', at: AT }
    let w = fold(running(1), { ...head, type: 'artifact:saved', artifact: a })
    w = fold(w, { ...head, seq: 3, type: 'artifact:saved', artifact: { ...a, id: 'a2' } })
    w = fold(w, { ...head, seq: 4, type: 'artifact:saved', artifact: { ...a, text: 'y' } })
    expect(w.artifacts.map((x) => x.text)).toEqual(['y', 'x'])
    expect(w.processState.collectedArtifacts).toEqual({ list: ['a1', 'a2'] })
  })

  it('process:started forgets the process before it', () => {
    const old = running(1, { skips: { 'ideas:critic': 2 }, approved: 'x', reason: 'y', sealed: { roleId: 'critic' } })
    const p = fold(old, started(2, { stageIndex: 0 })).processState
    expect(p).toMatchObject({
      status: 'running',
      templateId: 'two',
      conversationId: 'c1',
      stageAttempt: 1,
      stageStartedAt: AT,
      skips: {},
      sealed: null,
    })
    expect(p.approved).toBeUndefined()
    expect(p.reason).toBeUndefined()
    expect(p.cast).toHaveLength(2)
  })

  it('process:cast replaces the casting of that role only', () => {
    const p = fold(running(1), {
      ...head,
      type: 'process:cast',
      casting: { roleId: 'critic', memberId: 'critic', kind: 'human', name: 'Ann', spectatorId: 'p1' },
    }).processState
    expect(p.cast.map((c) => c.kind)).toEqual(['open', 'human'])
    expect(
      fold(running(1), {
        ...head,
        type: 'process:cast',
        casting: { roleId: 'nobody', memberId: 'nobody', kind: 'open' },
      }).processState.cast,
    ).toHaveLength(2)
  })

  it('process:stage_advanced begins the stage anew in one event', () => {
    const w = running(1, {
      stageAttempt: 3,
      sealed: { roleId: 'critic' },
      waiting: { code: 'approval', message: '', roleIds: [], since: AT },
    })
    const p = fold(w, {
      ...head,
      type: 'process:stage_advanced',
      fromStageId: 'ideas',
      toStageId: 'choice',
      stageIndex: 1,
      totalStages: 2,
    }).processState
    expect(p).toMatchObject({ currentStageIndex: 1, stageAttempt: 1, sealed: null, waiting: null, stageStartedAt: AT })
  })

  it('process:stage_restarted forgets the counts that it names', () => {
    const w = running(1, {
      stageTurnCounts: { ideas: 2, choice: 1 },
      agentTurnCounts: { 'ideas:critic': 1, 'choice:critic': 1 },
      skips: { 'ideas:ideator': 1, 'choice:x': 1 },
    })
    const p = fold(w, {
      ...head,
      type: 'process:stage_restarted',
      stageId: 'ideas',
      attempt: 2,
      counts: ['ideas', 'ideas:critic', 'ideas:ideator'],
    }).processState
    expect(p.stageTurnCounts).toEqual({ choice: 1 })
    expect(p.agentTurnCounts).toEqual({ 'choice:critic': 1 })
    expect(p.skips).toEqual({ 'choice:x': 1 })
    expect(p.stageAttempt).toBe(2)
  })

  it('keeps who asked for a pause until the process continues', () => {
    const by = { by: 'p1', name: 'Ann' }
    const pausing = fold(running(1), { ...head, type: 'process:pausing', ...by })
    expect(pausing.processState.pausedBy).toEqual(by)
    const paused = fold(pausing, { ...head, seq: 3, type: 'process:paused', ...by })
    expect(paused.processState.pausedBy).toEqual(by)
    const nameless = fold(paused, { ...head, seq: 4, type: 'process:paused', by: 'p1' })
    expect(nameless.processState.pausedBy).toEqual({ by: 'p1' })
    expect(fold(pausing, { ...head, seq: 3, type: 'process:paused' }).processState).not.toHaveProperty('pausedBy')
    expect(fold(paused, { ...head, seq: 4, type: 'process:resumed', ...by }).processState).not.toHaveProperty(
      'pausedBy',
    )
    const over = fold(paused, { ...head, seq: 4, type: 'process:completed', artifacts: [] })
    expect(over.processState).not.toHaveProperty('pausedBy')
  })

  it('process:pausing, paused, resumed', () => {
    const pausing = fold(running(1), { ...head, type: 'process:pausing' })
    expect(pausing.processState.pausing).toBe(true)
    const paused = fold(pausing, { ...head, seq: 3, type: 'process:paused', reason: 'three restarts' })
    expect(paused.processState).toMatchObject({ status: 'paused', pausing: false, reason: 'three restarts' })
    const on = fold(paused, { ...head, seq: 4, type: 'process:resumed', approved: 'ideas' })
    expect(on.processState).toMatchObject({ status: 'running', reason: '', resumedSeq: 4, approved: 'ideas' })
    expect(fold(on, { ...head, seq: 5, type: 'process:resumed' }).processState).toMatchObject({
      resumedSeq: 5,
      approved: 'ideas',
    })
  })

  it.each<EventFrame>([
    { ...head, type: 'process:paused' },
    { ...head, type: 'process:resumed' },
    { ...head, type: 'process:completed', artifacts: [] },
    { ...head, type: 'process:stage_restarted', stageId: 'ideas', attempt: 2, counts: [] },
    { ...head, type: 'process:waiting', waiting: null },
    started(2),
  ])('$type ends the waiting, and a pause that was asked for', (ev) => {
    const p = fold(
      running(1, { pausing: true, waiting: { code: 'approval', message: '', roleIds: [], since: AT } }),
      ev,
    ).processState
    expect(p.waiting).toBeNull()
    if (ev.type !== 'process:waiting' && ev.type !== 'process:stage_restarted') expect(p.pausing ?? false).toBe(false)
  })

  it('process:sealed, waiting, skipped, completed', () => {
    const waiting = { code: 'role_open' as const, message: 'm', roleIds: ['critic'], since: AT }
    let w = fold(running(1), { ...head, type: 'process:waiting', waiting })
    expect(w.processState.waiting).toEqual(waiting)
    w = fold(w, {
      ...head,
      seq: 3,
      type: 'process:skipped',
      stageId: 'ideas',
      attempt: 1,
      roleIds: ['critic'],
      skips: { 'ideas:critic': 1 },
    })
    expect(w.processState).toMatchObject({ waiting: null, skips: { 'ideas:critic': 1 } })
    w = fold(w, { ...head, seq: 4, type: 'process:sealed', stageId: 'choice', roleId: 'critic', summary: 's' })
    expect(w.processState.sealed).toEqual({ roleId: 'critic', summary: 's' })
    const completed = { ...head, seq: 5, type: 'process:completed' as const, artifacts: [] }
    expect(fold(w, completed).processState).toMatchObject({ status: 'completed', early: false })
    const ended = fold(w, { ...completed, early: true }).processState
    expect(ended).toMatchObject({ status: 'completed', early: true })
  })

  it('runs set who is at work, and a filled turn its counts; words that ask for nothing change nothing', () => {
    const w = { ...running(1), agents: [hero] }
    const run = { conversationId: 'c1', requestId: 'q1', memberId: 'ideator' }
    const turn = { stageId: 'ideas', roleId: 'ideator', attempt: 1, n: 1 }
    const busy = fold(w, { ...head, type: 'chat.started', ...run, status: 'running', turn })
    expect(busy.agents[0]?.status).toBe('running')
    const done = fold(busy, {
      ...head,
      seq: 3,
      type: 'chat.done',
      ...run,
      turn: { ...turn, stageTurns: 4, memberTurns: 2 },
    })
    expect(done.agents[0]?.status).toBe('idle')
    expect(done.processState.stageTurnCounts).toEqual({ ideas: 4 })
    expect(done.processState.agentTurnCounts).toEqual({ 'ideas:ideator': 2 })
    expect(
      fold(busy, { ...head, seq: 3, type: 'chat.error', ...run, code: 'timeout', message: '' }).agents[0]?.status,
    ).toBe('idle')
    expect(fold(busy, { ...head, seq: 3, type: 'chat.cancelled', ...run, reason: 'person' }).agents[0]?.status).toBe(
      'idle',
    )
    const chat = { ...busy, processState: { ...busy.processState, conversationId: 'other' } }
    const elsewhere = fold(chat, {
      ...head,
      seq: 3,
      type: 'chat.done',
      ...run,
      turn: { ...turn, stageTurns: 4, memberTurns: 2 },
    })
    expect(elsewhere.agents[0]?.status).toBe('idle') // the agent is idle after a run in any conversation
    expect(elsewhere.processState).toEqual(chat.processState) // turns of a council are not the stage's
    expect(fold(w, { ...head, type: 'chat.started', ...run, status: 'done' }).agents).toBe(w.agents)
  })

  it('keeps the template that a process began with', () => {
    expect(
      fold(running(1), { ...head, type: 'process:error', stageId: 'ideas', code: 'x', message: '' }).processState
        .template,
    ).toBe(template)
  })
})
