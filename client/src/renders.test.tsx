// A frame redraws only what it changes. This test counts the components that are drawn for streamed text, a walk and a
// finding during a review.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent, ConversationView, EventFrame, Finding, MapChange } from './net/protocol.gen'
import { drawn, find, greet, KNOWN, openPage, type Page } from './testing/page'
import { renders } from './testing/renders'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from './testing/samples'
import { memoryStorage } from './testing/storages'
import { CAST, chat, council, texts } from './testing/conversation-page'

const hero = (id: string, over: Partial<Agent> = {}): Agent => ({
  id,
  name: id,
  displayName: id,
  kind: 'agent',
  role: id,
  color: '#4fb8a3',
  status: 'idle',
  activity: '',
  x: 2,
  y: 2,
  realm: '',
  ...over,
})

const finding = (id: string, over: Partial<Finding> = {}): Finding => ({
  id,
  agentId: 'ideator',
  severity: 'high',
  title: `finding ${id}`,
  text: '',
  path: 'src/a.go',
  at: AT,
  ...over,
})

const room: MapChange = {
  type: 'map:change',
  path: '',
  page: 0,
  pages: 1,
  room: {
    path: '',
    generation: 1,
    width: 5,
    height: 5,
    objects: [
      { id: 'o1', kind: 'file', name: 'go.mod', path: 'go.mod', x: 1, y: 1 },
      { id: 'o2', kind: 'doc', name: 'README.md', path: 'README.md', x: 2, y: 1 },
    ],
    doors: [{ id: 'd1', path: 'src', name: 'src', x: 1, y: 0, files: 3 }],
    parts: [],
    walls: [],
    gone: [],
  },
}

const run = { conversationId: 'c1', requestId: 'q', memberId: 'ideator', status: 'running' as const, startSeq: 4 }
const process: ConversationView = view({
  messages: [message('m1', { seq: 2 }), message('m2', { seq: 3, status: 'open', content: '', requestId: 'q' })],
  activeRuns: [
    { ...run, startedAt: AT, lastActivityAt: AT, turn: { stageId: 'ideas', roleId: 'ideator', attempt: 1, n: 1 } },
  ],
})

const goes = (seq: number, over: object = {}): EventFrame => ({
  type: 'agent:goes',
  seq,
  at: AT,
  agentId: 'ideator',
  realm: '',
  path: [
    [2, 2],
    [2, 3],
  ],
  room: [],
  startsAt: AT,
  arrivesAt: AT,
  msPerTile: 100,
  x: 2,
  y: 3,
  revealed: [[3, 3]],
  worn: [[2, 3]],
  wear: [1],
  stack: [],
  ...over,
})

describe('a page on which a review runs', () => {
  let p: Page
  beforeEach(async () => {
    // The clock stands still. On a busy machine, parsing Markdown could otherwise exceed its time limit, and the page
    // would show plain text instead.
    vi.spyOn(performance, 'now').mockReturnValue(0)
    p = await openPage(memoryStorage(KNOWN))
    const w = {
      ...running(50, { cast: CAST }),
      agents: [hero('ideator', { status: 'running', activity: 'reading' }), hero('critic')],
      findings: [finding('f1')],
      map: { generation: 1, files: 3, folders: 1, bytes: 10, source: 'git' as const, scannedAt: AT },
      mapTree: {
        name: '',
        path: '',
        files: 3,
        folders: 1,
        children: [{ name: 'src', path: 'src', files: 3, folders: 0, children: [] }],
      },
    }
    greet(
      p.net.last,
      info(),
      welcomeSnapshot(50),
      { ...snapshot(50, w, [process, chat(), council()]), rooms: [room] },
      overlays({ m2: { conversationId: 'c1', requestId: 'q', text: 'One', next: 1 } }),
      seated,
    )
    await drawn()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  const told = (frame: object) =>
    renders(async () => {
      p.net.last.say([frame])
      await drawn()
    })
  const delta = (n: number) => ({
    type: 'chat.delta',
    conversationId: 'c1',
    requestId: 'q',
    memberId: 'ideator',
    messageId: 'm2',
    n,
    text: ' more',
  })

  it('draws the message that grows for words that stream', async () => {
    expect(await told(delta(1))).toEqual(['Block', 'Blocks', 'Chips', 'GrowingMarkdown', 'GrowingText', 'Leaf'])
    expect(find(p, 'transcript').textContent).toContain('One more')
  })

  it('draws only the running times when a second passes', async () => {
    const tool = { name: 'Bash', input: '{"command":"make"}', callId: 'a' }
    const call = (seq: number, over: object) => ({
      type: 'message.added',
      seq,
      at: AT,
      conversationId: 'c1',
      message: message(`t${seq}`, { seq, role: 'tool', status: 'open', content: '', tool, ...over }),
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: Date.parse(AT) + 41_000 })
    p.net.last.say([
      call(51, {}),
      call(52, { at: new Date(Date.parse(AT) - 159_000).toISOString() }),
      call(53, { status: 'done' }),
    ])
    await drawn()
    expect(texts(p, 'running-time')).toEqual(['41 s', '3 min 20 s'])
    const drawnBySecond = await renders(async () => {
      vi.advanceTimersByTime(1000)
      await drawn()
    })
    expect(drawnBySecond).toEqual(['RunningTime', 'RunningTime'])
    expect(texts(p, 'running-time')).toEqual(['42 s', '3 min 21 s'])
    expect(vi.getTimerCount()).toBe(1)
  })

  it('draws no panel for a walk', async () => {
    expect(await told(goes(51))).toEqual([])
  })

  it('draws where a hero is said to be for a walk into a room', async () => {
    expect(await told(goes(51, { realm: 'src', inside: true, path: [], room: [[1, 1]] }))).toEqual(['Whereabouts'])
    expect(find(p, 'whereabouts').textContent).toContain('src')
  })

  it('draws the count for a finding', async () => {
    expect(await told({ type: 'findings:posted', seq: 51, at: AT, finding: finding('f2') })).toEqual([
      'Badge',
      'DoorFlags',
      'Flag',
    ])
    expect(find(p, 'tab-findings').textContent).toContain('2')
  })

  it('draws the board for a finding where it is open', async () => {
    find(p, 'tab-findings').click()
    await drawn()
    expect(await told({ type: 'findings:posted', seq: 51, at: AT, finding: finding('f2') })).toEqual([
      'AcceptedBadge',
      'Badge',
      'DoorFlags',
      'FindingRow',
      'FindingsControls',
      'FindingsList',
      'FindingsStates',
      'FindingsSummary',
      'Flag',
      'FollowButton',
      'Icon',
      'Icon',
      'LabelledSelect',
      'LabelledSelect',
      'LabelledSelect',
      'LabelledSelect',
      'Place',
      'SeverityMark',
      'SeverityMark',
    ])
    expect(find(p, 'finding-f2').textContent).toContain('finding f2')
  })
  const agent = { agentId: 'claude:s1', conversationId: 'private-c9' }
  const session = { program: 'claude', sessionId: 's1', ...agent, position: '{}', hears: true }
  const state = { type: 'agent:state', ...agent, state: 'working', source: 'status', since: AT }

  // Each case is one frame about a coding agent, and the components that it redraws.
  it.each([
    [
      'nothing for what was read of a session',
      { type: 'session:read', session: { ...session, position: '{"n":1}' } },
      [],
    ],
    [
      'where a hero is said to be, and what it does, for its state',
      { ...state, path: 'go.mod' },
      ['AgentDoing', 'AgentDoing', 'OtherRow', 'Roster', 'Shield', 'StateMark', 'StateMark', 'Whereabouts'],
    ],
    [
      'the questions for a door',
      {
        type: 'door:opened',
        doorId: 'd1',
        ...agent,
        tool: 'Bash',
        summary: '',
        detail: '{}',
        choices: ['allow', 'deny'],
        since: AT,
      },
      [
        'Alerts',
        'DoorAsked',
        'DoorButtons',
        'DoorCard',
        'Doors',
        'DoorsAnnouncer',
        'HooksOffer',
        'SessionLink',
        'StateMark',
        'Title',
      ],
    ],
    [
      'what it has cost for a request',
      {
        type: 'usage:changed',
        ...agent,
        model: 'm',
        day: '2026-01-01',
        input: 1,
        output: 1,
        cacheRead: 0,
        cacheWrite: 0,
        cacheLong: 0,
      },
      ['AgentCost', 'LedgerButton'],
    ],
    [
      'nothing for a word to an agent whose card is closed',
      { type: 'word:queued', wordId: 'w1', ...agent, text: 'mind the tests', spectatorId: 'me', since: AT },
      [],
    ],
    [
      'the timeline of a file for a touch',
      {
        type: 'file:touched',
        touches: [{ path: 'go.mod', ...agent, name: 'Claude', reads: 1, since: AT, last: AT, lastEdit: null }],
      },
      ['FileTimeline', 'ThingTouches'],
    ],
    [
      'who is in whose way for a collision',
      { type: 'collision:found', path: 'go.mod', agentIds: ['claude:s1', 'critic'], why: 'edits', since: AT },
      ['CollisionMark', 'Collisions', 'ThingTouches'],
    ],
  ])('draws %s', async (_, frame, want) => {
    p.net.last.say([
      {
        type: 'agent:joined',
        seq: 51,
        at: AT,
        agent: hero('claude:s1', { state: { ...state, type: undefined } as never }),
      },
      { type: 'session:read', seq: 52, at: AT, session },
    ])
    await drawn()
    expect(await told({ seq: 53, at: AT, ...frame })).toEqual(want)
  })
})
