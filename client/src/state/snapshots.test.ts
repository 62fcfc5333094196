// Pages of transcripts, the list of conversations, and the fold of councils, chats and tools.
import { describe, expect, it } from 'vitest'
import type { ConversationInfo, ConversationView, EventFrame, Message, ServerFrame } from '../net/protocol.gen'
import { AT, info, message, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { canonicalText } from './canonical'
import { EMPTY, type Model, type RealmModel } from './model'
import { reduce } from './reduce'
import { MAX_VIEWS, type RowsRequest } from './snapshots'
import '../kinds/registry'
import { chatWith, retryableRun } from '../kinds/chat/state'
import { turnOf } from '../kinds/council/composer'
import { listConversations } from '../kinds/list-conversations'
import { playedCast, isUnread, playedAgents } from './conversations'
import { MAX_TOOL_SHOWN } from './views'

const fold = (frames: unknown[], m: Model = EMPTY): Model =>
  (frames as ServerFrame[]).reduce((to, f) => reduce(to, f), m)
const row = (seq: number, over: Partial<Message> = {}) => message(`m${seq}`, { conversationId: 'c2', seq, ...over })
const chat = (over: Partial<ConversationView> = {}) =>
  view({ conversationId: 'c2', kind: 'chat', title: 'Ideator', ...over })
const playing = (views: ConversationView[] = []) =>
  fold([
    info(),
    seated,
    welcomeSnapshot(50),
    snapshot(
      50,
      running(50, {
        cast: [
          { roleId: 'ideator', memberId: 'ideator', kind: 'agent' },
          { roleId: 'critic', memberId: 'critic', kind: 'open' },
        ],
      }),
      [view(), ...views],
    ),
  ])
const told = (m: Model, over: Partial<ConversationView>, request?: RowsRequest, overlays = {}): Model =>
  reduce(m, { type: 'snapshot', ...chat(over), overlays }, request)
const realm = (m: Model): RealmModel => m.realm!
const ids = (m: Model, id = 'c2') => realm(m).views[id]?.messages.map((x) => x.messageId)
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => row(from + i))

describe('a transcript in pages', () => {
  it('grows towards its beginning, each row once', () => {
    let m = told(playing(), { messages: rows(30, 35), hasMore: true, lastSeq: 34 })
    m = told(m, { messages: rows(25, 31), hasMore: true, lastSeq: 34 }, { before: 30 })
    m = told(m, { messages: rows(20, 25), hasMore: false, lastSeq: 34 }, { before: 25 })
    expect(ids(m)).toEqual(rows(20, 35).map((r) => r.messageId))
    expect(realm(m).views['c2']?.hasMore).toBe(false)
    expect(realm(m).page).toBeNull()
  })

  it('has no gap: a page that does not touch it stands by itself until it does', () => {
    let m = told(playing(), { messages: rows(40, 45), hasMore: true, lastSeq: 44 })
    m = told(m, { messages: rows(10, 15), hasMore: true, lastSeq: 44 }, { before: 15 })
    expect(ids(m)).toHaveLength(5)
    expect(realm(m).page).toMatchObject({ conversationId: 'c2', stageId: '', hasMore: true })
    m = told(m, { messages: rows(5, 10), hasMore: false, lastSeq: 44 }, { before: 10 })
    expect(realm(m).page?.rows).toHaveLength(10)
    m = told(m, { messages: rows(35, 41), hasMore: true, lastSeq: 44 }, { before: 41 })
    expect(ids(m)).toEqual(rows(35, 45).map((r) => r.messageId))
    expect(realm(m).page).toBeNull()
  })

  it('is asked for past an open row that is older than its window', () => {
    const open = row(3, { status: 'open', content: '' })
    const m = told(playing(), { messages: [open, ...rows(40, 45)], hasMore: true, lastSeq: 44 })
    expect(realm(m).completeFrom['c2']).toBe(40)
    expect(ids(told(m, { messages: [open, ...rows(35, 40)], hasMore: true, lastSeq: 44 }, { before: 40 }))).toEqual([
      'm3',
      ...rows(35, 45).map((r) => r.messageId),
    ])
  })

  it('of one stage is read by itself', () => {
    let m = told(
      playing(),
      { messages: [row(9, { stageId: 'ideas' })], hasMore: true, lastSeq: 44 },
      { stageId: 'ideas' },
    )
    m = told(
      m,
      { messages: [row(8, { stageId: 'ideas' })], hasMore: false, lastSeq: 44 },
      { stageId: 'ideas', before: 9 },
    )
    expect(realm(m).page).toMatchObject({ stageId: 'ideas', hasMore: false })
    expect(realm(m).page?.rows.map((r) => r.seq)).toEqual([8, 9])
  })

  it('keeps its place when one row of it is fetched whole', () => {
    const cut = row(12, { role: 'tool', status: 'done', content: 'some', tool: { name: 'x', input: '', cut: true } })
    let m = told(playing(), { messages: rows(40, 45), hasMore: true, lastSeq: 44 })
    m = told(m, { messages: [row(11), cut, row(13)], hasMore: true, lastSeq: 44 }, { before: 14 })
    m = told(
      m,
      { messages: [{ ...cut, content: 'all of it', tool: { name: 'x', input: '' } }], hasMore: true, lastSeq: 44 },
      { before: 13, limit: 1 },
    )
    expect(realm(m).page?.rows.map((r) => r.content)).toEqual(['text of m11', 'all of it', 'text of m13'])
  })

  it('never loses what came by events meanwhile, nor takes anything twice', () => {
    const before = told(playing(), { messages: rows(40, 42), lastSeq: 41 })
    const live: EventFrame = { type: 'message.added', seq: 51, at: AT, conversationId: 'c2', message: row(51) }
    const m = told(fold([live], before), { messages: rows(40, 42), lastSeq: 41, title: 'Old' })
    expect(ids(m)).toEqual(['m40', 'm41', 'm51'])
    expect(realm(m).views['c2']).toMatchObject({ title: 'Ideator', lastSeq: 51 })
    // The snapshot is newer than the page's last event: the events that arrive later are in it already and change
    // nothing.
    const run: EventFrame = {
      type: 'chat.started',
      seq: 52,
      at: AT,
      conversationId: 'c2',
      requestId: 'q',
      memberId: 'ideator',
      status: 'running',
    }
    const ahead = told(m, { messages: [row(51)], lastSeq: 52, activeRuns: [], hasMore: true })
    expect(realm(fold([run], ahead)).views['c2']?.activeRuns).toEqual([])
  })

  it('shows the words so far of an open row at once (S4-11)', () => {
    const m = told(playing(), { messages: [row(40, { status: 'open', content: '' })], lastSeq: 40 }, undefined, {
      m40: { conversationId: 'c2', requestId: 'q', text: 'so f', next: 2 },
    })
    expect(realm(m).streams['m40']).toEqual({ text: 'so f', next: 2 })
    expect(
      realm(
        told(
          m,
          { messages: [], lastSeq: 40 },
          { limit: 0 },
          { m40: { conversationId: 'c2', requestId: 'q', text: 's', next: 1 } },
        ),
      ).streams['m40']?.next,
    ).toBe(2)
  })

  it('keeps a bounded number of transcripts and the heads of the others', () => {
    let m = playing()
    for (let i = 0; i < MAX_VIEWS + 5; i++)
      m = fold(
        [
          {
            type: 'conversation.started',
            seq: 51 + i,
            at: `2026-01-03T00:00:${String(i % 60).padStart(2, '0')}.000Z`,
            conversation: { ...chat(), conversationId: `x${i}`, updatedAt: AT },
          },
        ],
        m,
      )
    expect(Object.keys(realm(m).views)).toHaveLength(MAX_VIEWS)
    expect(realm(m).views['c1']).toBeDefined()
    expect(listConversations(m)).toHaveLength(MAX_VIEWS + 6)
  })
})

describe('a tool', () => {
  const head = { at: AT, conversationId: 'c2', requestId: 'q', messageId: 't1' }
  const start: EventFrame = {
    ...head,
    type: 'tool.start',
    seq: 60,
    memberId: 'ideator',
    memberName: 'Ideator',
    name: 'read_file',
    input: '{}',
    reads: true,
  }
  const output = (seq: number, text: string): EventFrame => ({ ...head, type: 'tool.output', seq, text })
  const end = (over: object = {}): EventFrame => ({
    ...head,
    type: 'tool.end',
    seq: 70,
    ok: true,
    output: 'all',
    ...over,
  })
  const t1 = (m: Model) => realm(m).views['c2']?.messages.find((x) => x.messageId === 't1')

  it('is a row from its start to its end (S4-18)', () => {
    let m = fold([start, output(61, 'a'), output(62, 'b')], playing([chat()]))
    expect(t1(m)).toMatchObject({
      role: 'tool',
      status: 'open',
      content: 'ab',
      seq: 60,
      name: 'Ideator',
      tool: { name: 'read_file', input: '{}', reads: true },
    })
    m = fold([end()], m)
    expect(t1(m)).toMatchObject({ status: 'done', content: 'all', seq: 60 })
    expect(t1(fold([output(71, 'late')], m))?.content).toBe('all')
  })

  it.each([
    [{ ok: false }, 'error'],
    [{ ok: false, unknown: true }, 'interrupted'],
  ])('that ends with %j is %s', (over, status) =>
    expect(t1(fold([start, end(over)], playing([chat()])))?.status).toBe(status),
  )

  it('that a person refused is marked', () => {
    expect(t1(fold([start, end({ ok: false, refused: true })], playing([chat()])))?.tool?.refused).toBe(true)
    expect(t1(fold([start, end({ ok: false, tests: 'failed' })], playing([chat()])))?.tool?.tests).toBe('failed')
    expect(t1(fold([start, end({ ok: false })], playing([chat()])))?.tool).not.toHaveProperty('refused')
  })

  it('shows a bounded output, and all of it when it was asked for (S4-B4)', () => {
    const m = fold([start, output(61, 'x'.repeat(MAX_TOOL_SHOWN)), output(62, 'y')], playing([chat()]))
    expect(t1(m)?.content).toHaveLength(MAX_TOOL_SHOWN)
    const cut = fold([end({ cut: true })], m)
    expect(t1(cut)?.tool?.cut).toBe(true)
    const whole = { ...t1(cut)!, content: 'all of it', tool: { name: 'read_file', input: '{}' } }
    const full = told(cut, { messages: [whole], lastSeq: 70 }, { before: 61, limit: 1 })
    expect(t1(full)).toMatchObject({ content: 'all of it' })
    expect(realm(full).page).toBeNull()
    // A shortened output does not replace the whole one.
    expect(t1(told(full, { messages: [t1(cut)!], lastSeq: 70 }))?.content).toBe('all of it')
  })
})

describe('councils and chats', () => {
  const council = (over: Partial<ConversationView> = {}) => {
    const members = ['ideator', 'p1'].map((id, order) => ({
      id,
      name: id,
      displayName: id,
      type: id === 'p1' ? ('human' as const) : ('agent' as const),
      role: id,
      color: '#000000',
      order,
    }))
    return {
      ...view({
        conversationId: 'k',
        kind: 'council',
        taskPrompt: 'Decide.',
        maxTurns: 2,
        team: { id: 't', name: 't', members },
        ...over,
      }),
    }
  }
  const run = { at: AT, conversationId: 'k', turn: { stageId: 'rounds', roleId: 'ideator', attempt: 1, n: 1 } }
  const begun = () =>
    fold([{ type: 'conversation.started', seq: 51, at: AT, requestId: 's1', conversation: council() }], playing())
  const plan = (m: Model) => realm(m).views['k']?.plan

  it('take turns until there are none', () => {
    let m = begun()
    expect(realm(m).begun).toEqual({ conversationId: 'k', requestId: 's1' })
    expect(plan(m)).toMatchObject({ maxTurns: 2 })
    // The next member comes from the event that begins the turn, never from the order of the team.
    m = fold([{ ...run, type: 'chat.started', seq: 52, requestId: 'a', memberId: 'ideator', status: 'running' }], m)
    expect(plan(m)).toMatchObject({ maxTurns: 2, nextMemberId: 'ideator' })
    expect(realm(m).views['k']?.lastRun).toMatchObject({ requestId: 'a', status: 'running' })
    m = fold(
      [
        {
          ...run,
          type: 'chat.done',
          seq: 53,
          requestId: 'a',
          memberId: 'ideator',
          turn: { ...run.turn, stageTurns: 1, memberTurns: 1 },
        },
      ],
      m,
    )
    expect(plan(m)).toMatchObject({ turns: 1, nextMemberId: '' })
    m = fold([{ ...run, type: 'chat.started', seq: 54, requestId: 'b', memberId: 'p1', status: 'running' }], m)
    expect(plan(m)).toMatchObject({ turns: 1, nextMemberId: 'p1' })
    expect(turnOf(realm(m).views['k']!, m)?.requestId).toBe('b') // it is this person's turn
    expect(listConversations(m).find((t) => t.conversationId === 'k')?.asked).toBe(true)
    m = fold(
      [
        {
          ...run,
          type: 'chat.done',
          seq: 55,
          requestId: 'b',
          memberId: 'p1',
          turn: { ...run.turn, stageTurns: 2, memberTurns: 1 },
        },
      ],
      m,
    )
    expect(plan(m)).toMatchObject({ turns: 2, nextMemberId: '' })
    // Turns of other conversations do not count as turns of the stage.
    expect(realm(m).world.processState.stageTurnCounts).toEqual({})
  })

  it('a failed turn fills nothing', () => {
    const m = fold(
      [
        { ...run, type: 'chat.started', seq: 52, requestId: 'a', memberId: 'ideator', status: 'running' },
        { ...run, type: 'chat.error', seq: 53, requestId: 'a', memberId: 'ideator', code: 'model', message: '' },
      ],
      begun(),
    )
    expect(plan(m)?.turns ?? 0).toBe(0)
    expect(realm(m).views['k']?.lastRun).toMatchObject({ status: 'error', code: 'model', endedAt: AT })
  })

  it('a chat that was cut off may be answered again, until it is', () => {
    const on = (seq: number, requestId: string) => ({
      type: 'chat.started',
      seq,
      at: AT,
      conversationId: 'c2',
      requestId,
      memberId: 'ideator',
      status: 'running',
    })
    let m = fold(
      [
        on(51, 'a'),
        {
          type: 'chat.cancelled',
          seq: 52,
          at: AT,
          conversationId: 'c2',
          requestId: 'a',
          memberId: 'ideator',
          reason: 'interrupted',
        },
      ],
      playing([chat()]),
    )
    expect(retryableRun(realm(m).views['c2']!)).toMatchObject({ status: 'interrupted' })
    m = fold([on(53, 'b')], m)
    expect(retryableRun(realm(m).views['c2']!)).toBeNull()
    m = fold([{ type: 'chat.done', seq: 54, at: AT, conversationId: 'c2', requestId: 'b', memberId: 'ideator' }], m)
    expect(retryableRun(realm(m).views['c2']!)).toBeNull()
  })

  it('say nothing between the rows of the process', () => {
    const m = fold(
      [
        {
          type: 'chat.error',
          seq: 51,
          at: AT,
          conversationId: 'c2',
          requestId: 'a',
          memberId: 'ideator',
          code: 'x',
          message: 'no',
        },
        { type: 'command:reply', requestId: 'x', command: 'conversation.pause', text: 'Paused.' },
      ],
      playing([chat()]),
    )
    expect(realm(m).notes).toEqual([])
  })

  it('keep why they wait', () => {
    const status = (seq: number, to: string, reason = '') => ({
      type: 'conversation.status',
      seq,
      at: AT,
      conversationId: 'k',
      status: to,
      reason,
    })
    const m = fold([status(52, 'paused', 'Ideator failed three times.')], begun())
    expect(realm(m).views.k?.reason).toBe('Ideator failed three times.')
    expect(realm(fold([status(53, 'active')], m)).views.k?.reason).toBeUndefined()
  })
})

describe('the list of conversations', () => {
  const infoAt = (id: string, minute: number, over: Partial<ConversationInfo> = {}): ConversationInfo => {
    const {
      messages: _,
      hasMore: __,
      activeRuns: ___,
      activeRun: ____,
      lastSeq: _____,
      plan: ______,
      ...head
    } = chat({ conversationId: id, updatedAt: `2026-01-02T04:${String(minute).padStart(2, '0')}:00.000Z` })
    return { ...head, messages: 3, ...over }
  }
  const listed = (m: Model, list: ConversationInfo[], request?: RowsRequest, hasMore = false) =>
    reduce(m, { type: 'conversation.listed', conversations: list, hasMore }, request)

  it('has the process first, then who last spoke first, the ended ones too', () => {
    const m = listed(playing([chat()]), [infoAt('a', 1, { status: 'completed' }), infoAt('b', 5)])
    expect(listConversations(m).map((t) => t.conversationId)).toEqual(['c1', 'b', 'a', 'c2'])
    const said = (at: string): EventFrame => ({
      type: 'message.added',
      seq: 51,
      at: '2026-01-02T05:00:00.000Z',
      conversationId: 'a',
      message: row(51, { at }),
    })
    expect(listConversations(fold([said('2026-01-02T05:00:00.000Z')], m)).map((t) => t.conversationId)).toEqual([
      'c1',
      'a',
      'b',
      'c2',
    ])
    // An imported older row does not count as unread (S2-B4).
    expect(listConversations(fold([said('1999-01-02T05:00:00.000Z')], m)).map((t) => t.conversationId)).toEqual([
      'c1',
      'b',
      'a',
      'c2',
    ])
  })

  it('goes on where it ended, and begins anew', () => {
    let m = listed(playing(), [infoAt('a', 5)], undefined, true)
    m = listed(m, [infoAt('b', 3)], { before: '2026-01-02T04:05:00.000Z' })
    expect(Object.keys(realm(m).heads)).toEqual(['a', 'b'])
    expect(realm(m).moreHeads).toBe(false)
    expect(Object.keys(realm(listed(m, [infoAt('c', 9)])).heads)).toEqual(['c'])
  })

  it('shows no end of one that is interrupted, and the end of one that has ended', () => {
    for (const [status, end] of [
      ['interrupted', undefined],
      ['paused', undefined],
      ['failed', AT],
    ] as const) {
      const m = fold(
        [{ type: 'conversation.status', seq: 52, at: AT, conversationId: 'a', status }],
        listed(playing(), [infoAt('a', 5)]),
      )
      expect(realm(m).heads['a']?.endedAt, `S0-04: the end of one in the list that is ${status}`).toBe(end)
    }
  })

  it('follows titles and ends of those that are not open here', () => {
    let m = listed(playing(), [infoAt('a', 5)])
    m = fold(
      [
        { type: 'conversation.renamed', seq: 51, at: AT, conversationId: 'a', title: 'New' },
        { type: 'conversation.status', seq: 52, at: AT, conversationId: 'a', status: 'abandoned' },
      ],
      m,
    )
    expect(realm(m).heads['a']).toMatchObject({ title: 'New', status: 'abandoned', endedAt: AT })
    // A conversation that is not listed has changed: the list is asked for again.
    m = fold([{ type: 'conversation.status', seq: 53, at: AT, conversationId: 'unknown', status: 'active' }], m)
    expect(realm(m).moreHeads).toBeNull()
  })

  it('is asked for again after a snapshot, and keeps its lines meanwhile', () => {
    const m = listed(playing([chat()]), [infoAt('a', 5)])
    const again = fold([snapshot(60, running(60), [view()])], m)
    expect(realm(again).moreHeads).toBeNull()
    expect(
      listConversations(again)
        .map((t) => t.conversationId)
        .sort(),
    ).toEqual(['a', 'c1', 'c2'])
  })

  it('knows what is new, who may be spoken to, and the chat that goes on', () => {
    const a = infoAt('a', 5)
    // The server's clock was ten years ahead and was set back: words said now count as unread.
    expect([
      isUnread(a, { a: '2036-01-02T04:05:00.000Z' }),
      isUnread(a, { a: new Date(Date.parse(a.updatedAt!) + 1000).toISOString() }),
    ]).toEqual([true, false])
    expect([
      isUnread(a, {}),
      isUnread(a, { '': '2026-01-02T04:06:00.000Z' }),
      isUnread(a, { '': a.updatedAt!, a: '2026-01-01T00:00:00.000Z' }),
    ]).toEqual([true, false, true])
    const team = {
      id: 't',
      name: 't',
      members: [
        { id: 'p1', name: 'Ann', displayName: 'Ann', type: 'human' as const, role: '', color: '', order: 0 },
        { id: 'ideator', name: 'i', displayName: 'I', type: 'agent' as const, role: '', color: '', order: 1 },
      ],
    }
    const m = playing([
      chat({ team }),
      chat({ conversationId: 'c3', team, status: 'completed' }),
      chat({ conversationId: 'c4', team, about: { conversationId: 'c1', stageId: 'ideas', name: 'Ideas' } }),
    ])
    expect(playedAgents(m).map((x) => x.id)).toEqual(['ideator'])
    expect(chatWith(m, 'ideator')?.conversationId).toBe('c2')
    expect(chatWith(m, 'ideator', 'ideas')?.conversationId).toBe('c4')
    expect(chatWith(m, 'critic')).toBeNull()
  })
})

describe('replay and snapshot', () => {
  it('give the same views', () => {
    const events = [
      {
        type: 'conversation.started',
        seq: 51,
        at: AT,
        conversation: { ...chat(), conversationId: 'z', messages: undefined },
      },
      {
        type: 'chat.started',
        seq: 52,
        at: AT,
        conversationId: 'z',
        requestId: 'q',
        memberId: 'ideator',
        status: 'running',
        message: row(0, { conversationId: 'z', role: 'user', messageId: 'u' }),
      },
      {
        type: 'tool.start',
        seq: 53,
        at: AT,
        conversationId: 'z',
        requestId: 'q',
        messageId: 't',
        memberId: 'ideator',
        memberName: 'I',
        name: 'x',
        input: '',
      },
      { type: 'tool.end', seq: 54, at: AT, conversationId: 'z', requestId: 'q', messageId: 't', ok: true, output: 'o' },
      { type: 'chat.done', seq: 55, at: AT, conversationId: 'z', requestId: 'q', memberId: 'ideator' },
    ]
    const live = fold(events, playing())
    const z = realm(live).views['z']!
    const fetched = reduce(playing(), { type: 'snapshot', ...z, overlays: {} })
    expect(canonicalText(realm(fetched).views['z'])).toBe(canonicalText(z))
  })
})

describe('whom one can speak to', () => {
  const cast = (...played: boolean[]) =>
    played.map((p, i) => ({ id: `r${i}`, name: `R${i}`, color: '#000000', ...(p ? { played: true } : {}) }))
  const template = (id: string, ...played: boolean[]) => ({
    id,
    name: id,
    description: '',
    roles: [],
    stages: [],
    driver: 'none' as const,
    cast: cast(...played),
  })
  const withTemplates = (path: string, ...list: ReturnType<typeof template>[]): Model => {
    const m = playing([])
    const r = realm(m)
    const world = {
      ...r.world,
      realm: { ...r.world.realm, path },
      processState: { ...r.world.processState, template: null, cast: [] },
    }
    return { ...m, server: { ...m.server!, templates: list }, realm: { ...r, world } }
  }
  it('without a process it is the cast that is at home', () => {
    const all = [template('one', false, false), template('two', false, true), template('code_review', true, true)]
    expect(playedCast(withTemplates('/repo', ...all))).toMatchObject({
      templateId: 'code_review',
      agents: [{ id: 'r0' }, { id: 'r1' }],
    })
    expect(playedCast(withTemplates('', ...all))).toMatchObject({ templateId: 'two', agents: [{ id: 'r1' }] })
    expect(playedCast(withTemplates('', template('one', false)))).toEqual({ templateId: '', agents: [] })
  })
})
