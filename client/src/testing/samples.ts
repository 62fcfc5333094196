// Small values for tests: a template, a world, a view, and frames that contain them.
import type {
  ConversationView,
  EventFrame,
  Message,
  ServerInfo,
  Template,
  World,
  WorldState,
} from '../net/protocol.gen'
import { emptyWorld } from '../state/world'

export const AT = '2026-01-02T03:04:05.000Z'

export const template: Template = {
  id: 'two',
  name: 'Two stages',
  roles: [
    { id: 'ideator', name: 'Ideator', color: '#f2b134', persona: 'You have ideas.' },
    { id: 'critic', name: 'Critic', color: '#4f9dde' },
  ],
  stages: [
    {
      id: 'ideas',
      name: 'Ideas',
      goal: 'Find many.',
      roles: ['ideator', 'critic'],
      structure: 'sequential',
      completion: 'turn_count',
      turns: 2,
      artifacts: [{ name: 'list' }],
    },
    {
      id: 'choice',
      name: 'Choice',
      goal: 'Take one.',
      roles: ['critic'],
      structure: 'single',
      completion: 'explicit_signal',
      artifacts: [],
    },
  ],
}

export function started(seq: number, over: Partial<Extract<EventFrame, { type: 'process:started' }>> = {}): EventFrame {
  return {
    type: 'process:started',
    seq,
    at: AT,
    templateId: 'two',
    name: 'Two stages',
    problem: 'What now?',
    stages: template.stages.map(({ id, name }) => ({ id, name })),
    stageIndex: 0,
    conversationId: 'c1',
    template,
    cast: template.roles.map((r) => ({ roleId: r.id, memberId: r.id, kind: 'open' })),
    ...over,
  }
}

export function conversation(seq: number): EventFrame {
  return {
    type: 'conversation.started',
    seq,
    at: AT,
    conversation: {
      conversationId: 'c1',
      kind: 'process',
      title: 'Two stages',
      status: 'active',
      team: { id: 't', name: 't', members: [] },
      createdAt: AT,
      updatedAt: AT,
    },
  }
}

export function message(id: string, over: Partial<Message> = {}): Message {
  return {
    messageId: id,
    conversationId: 'c1',
    role: 'assistant',
    memberId: 'ideator',
    name: 'Ideator',
    stageId: 'ideas',
    content: `text of ${id}`,
    status: 'done',
    at: AT,
    ...over,
  }
}

export function added(seq: number, id: string, over: Partial<Message> = {}): EventFrame {
  return { type: 'message.added', seq, at: AT, conversationId: 'c1', message: message(id, over) }
}

export function view(over: Partial<ConversationView> = {}): ConversationView {
  return {
    conversationId: 'c1',
    kind: 'process',
    title: 'Two stages',
    status: 'active',
    team: { id: 't', name: 't', members: [] },
    createdAt: AT,
    updatedAt: AT,
    messages: [],
    hasMore: false,
    activeRuns: [],
    activeRun: null,
    lastSeq: 1,
    plan: { waiting: null, asked: [] },
    ...over,
  }
}

export function world(seq: number, over: Partial<World> = {}): World {
  return { ...emptyWorld({ id: 'r1', name: 'Realm one', path: '/home/x', tenant: 'default' }), tick: seq, ...over }
}

/** A world in which a process with the template runs. */
export function running(seq: number, over: Partial<World['processState']> = {}): World {
  const w = world(seq)
  return {
    ...w,
    processState: {
      ...w.processState,
      status: 'running',
      templateId: 'two',
      template,
      conversationId: 'c1',
      stageAttempt: 1,
      problemStatement: 'What now?',
      cast: template.roles.map((r) => ({ roleId: r.id, memberId: r.id, kind: 'open' })),
      ...over,
    },
  }
}

export function info(over: Partial<ServerInfo> = {}): ServerInfo {
  return {
    type: 'server:info',
    protocol: 1,
    version: 'test',
    gamePhase: 'playing',
    realmId: 'r1',
    epoch: 'e1',
    seq: 0,
    addresses: [],
    port: 3001,
    role: 'host',
    templates: [
      {
        id: 'two',
        name: 'Two stages',
        description: 'Two.',
        roles: ['Ideator', 'Critic'],
        stages: ['Ideas', 'Choice'],
        driver: 'none',
        cast: [
          { id: 'ideator', name: 'Ideator', color: '#112233' },
          { id: 'critic', name: 'Critic', color: '#332211' },
        ],
      },
    ],
    driver: 'none',
    ...over,
  }
}

export function snapshot(seq: number, w: World, views: ConversationView[] = [], epoch = 'e1'): WorldState {
  return {
    type: 'world:state',
    seq,
    epoch,
    world: { ...w, tick: seq },
    conversations: views,
    recent: [],
    rooms: [],
    spectators: [],
  }
}

export const welcomeSnapshot = (seq: number, realmId = 'r1', epoch = 'e1') => ({
  type: 'welcome',
  realmId,
  continuity: 'snapshot',
  reason: 'first',
  epoch,
  from: seq + 1,
  to: seq,
  mapGeneration: 0,
})
export const welcomeReplay = (from: number, to: number, epoch = 'e1') => ({
  type: 'welcome',
  realmId: 'r1',
  continuity: 'replay',
  epoch,
  from,
  to,
  mapGeneration: 0,
})
export const overlays = (segments: Record<string, unknown> = {}) => ({ type: 'overlays', segments, agents: {} })
export const seated = {
  type: 'spectator:welcome',
  spectatorId: 'p1',
  name: 'Ann',
  color: '#4fb8a3',
  role: 'host',
  seat: 'a.secret',
}
