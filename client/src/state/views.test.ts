import '../kinds/registry'
import { describe, expect, it } from 'vitest'
import type { EventFrame, ProcessTurn } from '../net/protocol.gen'
import { added, AT, conversation, message } from '../testing/samples'
import {
  applyDelta,
  applyStreams,
  applyTurn,
  applyViews,
  judgeDelta,
  MAX_MESSAGES,
  overlayStreams,
  type Streams,
  type Views,
} from './views'

const head = { seq: 5, at: AT }
const run = { conversationId: 'c1', requestId: 'q1', memberId: 'ideator' }
const turn = { stageId: 'ideas', roleId: 'ideator', attempt: 1, n: 1 }

function fold(events: EventFrame[], views: Views = {}): Views {
  return events.reduce(applyViews, views)
}

const begun = () =>
  fold([
    conversation(1),
    { ...head, seq: 2, type: 'chat.started', ...run, status: 'running', turn, instance: 'ideator#1' },
  ])
const open: EventFrame = {
  ...head,
  seq: 3,
  type: 'assistant.segment.started',
  ...run,
  messageId: 'm1',
  name: 'Ideator',
  stageId: 'ideas',
}

describe('transcripts', () => {
  it('follow a turn from its start to its end: one row, filled when it closes', () => {
    let v = fold([open], begun())
    expect(v['c1']?.activeRun).toMatchObject({ requestId: 'q1', turn, startSeq: 2 })
    expect(v['c1']?.messages).toMatchObject([{ messageId: 'm1', status: 'open', content: '' }])
    v = fold(
      [
        {
          ...head,
          seq: 4,
          type: 'assistant.segment.closed',
          conversationId: 'c1',
          requestId: 'q1',
          message: message('m1', { content: 'whole' }),
          reason: 'done',
        },
      ],
      v,
    )
    expect(v['c1']?.messages).toMatchObject([{ messageId: 'm1', status: 'done', content: 'whole' }])
    v = fold([{ ...head, type: 'chat.done', ...run, turn: { ...turn, stageTurns: 1, memberTurns: 1 } }], v)
    expect(v['c1']).toMatchObject({ activeRuns: [], activeRun: null, lastSeq: 5, updatedAt: AT })
    v = fold(
      [
        {
          ...head,
          seq: 6,
          at: '2030-01-01T00:00:00.000Z',
          type: 'message.added',
          conversationId: 'c1',
          message: message('old', { at: '1999-01-01T00:00:00.000Z' }),
        },
      ],
      v,
    )
    expect(v['c1']).toMatchObject({ lastSeq: 6, updatedAt: AT }) // an imported older row (S2-B4)
  })

  it.each<[string, EventFrame]>([
    ['chat.error', { ...head, type: 'chat.error', ...run, code: 'timeout', message: 'x' }],
    ['chat.cancelled', { ...head, type: 'chat.cancelled', ...run, reason: 'interrupted' }],
  ])('%s ends the run: nobody is shown as running that is not', (_, ev) => {
    expect(fold([ev], begun())['c1']?.activeRuns).toEqual([])
  })

  it('take a person’s words without a run', () => {
    const v = fold([
      conversation(1),
      {
        ...head,
        type: 'chat.started',
        conversationId: 'c1',
        requestId: 'w',
        memberId: '',
        status: 'done',
        message: message('w1', { role: 'user', memberId: '', name: 'Ann' }),
      },
    ])
    expect(v['c1']?.messages).toHaveLength(1)
    expect(v['c1']?.activeRuns).toEqual([])
  })

  it('replace a row of the same id, in place', () => {
    const v = fold([conversation(1), added(2, 'a'), added(3, 'b'), added(4, 'a', { content: 'again' })])
    expect(v['c1']?.messages.map((m) => m.content)).toEqual(['again', 'text of b'])
  })

  it('end with their conversation, and begin again', () => {
    let v = fold([conversation(1), { ...head, type: 'conversation.status', conversationId: 'c1', status: 'completed' }])
    expect(v['c1']).toMatchObject({ status: 'completed', endedAt: AT })
    v = fold([{ ...head, seq: 6, type: 'conversation.status', conversationId: 'c1', status: 'active' }], v)
    expect(v['c1']?.endedAt).toBeUndefined()
    v = fold([{ ...head, seq: 7, type: 'conversation.renamed', conversationId: 'c1', title: 'Another' }], v)
    expect(v['c1']?.title).toBe('Another')
  })

  it('have an end when they have ended, not when they are interrupted', () => {
    for (const status of ['active', 'queued', 'paused', 'interrupted', 'completed', 'abandoned', 'failed'] as const) {
      const v = fold([conversation(1), { ...head, type: 'conversation.status', conversationId: 'c1', status }])
      const ended = status === 'completed' || status === 'abandoned' || status === 'failed'
      expect(v['c1']?.endedAt, `S0-04: the end of one that is ${status}`).toBe(ended ? AT : undefined)
    }
  })

  it('ignore conversations that are not shown', () => {
    const v = begun()
    expect(fold([{ ...head, type: 'message.added', conversationId: 'c9', message: message('x') }], v)).toBe(v)
  })

  it('find the row that closes behind many others', () => {
    let v = fold([open], begun())
    v = fold(
      Array.from({ length: 400 }, (_, i) => added(10 + i, `n${i}`)),
      v,
    )
    v = fold(
      [
        {
          ...head,
          seq: 500,
          type: 'assistant.segment.closed',
          conversationId: 'c1',
          requestId: 'q1',
          message: message('m1', { content: 'whole' }),
          reason: 'done',
        },
      ],
      v,
    )
    expect(v['c1']?.messages).toHaveLength(401)
    expect(v['c1']?.messages[0]).toMatchObject({ messageId: 'm1', content: 'whole' })
  })

  it('keep an open row in the window, and close it where it stands', () => {
    const c1 = begun()['c1']!
    const rows = Array.from({ length: MAX_MESSAGES - 1 }, (_, i) => message(`m${i}`))
    const full = { c1: { ...c1, messages: [message('long', { status: 'open', content: '' }), ...rows] } }
    let v = fold([added(9, 'new')], full)
    expect(v['c1']?.messages[0]?.messageId).toBe('long')
    v = fold(
      [
        {
          ...head,
          seq: 10,
          type: 'assistant.segment.closed',
          conversationId: 'c1',
          requestId: 'q1',
          message: message('long', { content: 'whole' }),
          reason: 'done',
        },
      ],
      v,
    )
    expect(v['c1']?.messages[0]).toMatchObject({ messageId: 'long', status: 'done' })
  })

  it('keep a bounded window', () => {
    const many = Array.from({ length: 3 }, (_, i) => message(`new${i}`))
    const full = { ...begun() }
    const c1 = full['c1']
    if (!c1) throw new Error('no view')
    full['c1'] = { ...c1, messages: Array.from({ length: MAX_MESSAGES - 1 }, (_, i) => message(`m${i}`)) }
    const v = fold(
      many.map((m, i) => added(10 + i, m.messageId)),
      full,
    )['c1']
    expect(v?.messages).toHaveLength(MAX_MESSAGES)
    expect(v?.hasMore).toBe(true)
    expect(v?.messages.at(-1)?.messageId).toBe('new2')
    expect(v?.messages[0]?.messageId).toBe('m2')
  })
})

describe('who is asked', () => {
  const ask: ProcessTurn = {
    type: 'process:turn',
    conversationId: 'c1',
    requestId: 'q1',
    roleId: 'ideator',
    memberId: 'ideator',
    prompt: 'Go.',
  }
  const asked = (v: Views) => v['c1']?.plan.asked.map((a) => a.requestId)

  it('is told once, by the run', () => {
    let v = applyTurn(begun(), ask)
    v = applyTurn(v, { ...ask, prompt: 'Go on.' })
    expect(v['c1']?.plan.asked).toEqual([
      { conversationId: 'c1', requestId: 'q1', roleId: 'ideator', memberId: 'ideator', prompt: 'Go on.' },
    ])
    expect(applyTurn(v, { ...ask, conversationId: 'elsewhere' })).toBe(v)
  })

  it.each<[string, EventFrame]>([
    ['the run is done', { ...head, type: 'chat.done', ...run }],
    [
      'the slot is filled',
      { ...head, type: 'chat.done', ...run, requestId: 'other', turn: { ...turn, stageTurns: 1, memberTurns: 1 } },
    ],
    ['the run is cancelled', { ...head, type: 'chat.cancelled', ...run, reason: 'skipped' }],
    [
      'the role is passed',
      { ...head, type: 'process:skipped', stageId: 'ideas', attempt: 1, roleIds: ['ideator'], skips: {} },
    ],
    [
      'the stage ends',
      {
        ...head,
        type: 'process:stage_advanced',
        fromStageId: 'ideas',
        toStageId: 'choice',
        stageIndex: 1,
        totalStages: 2,
      },
    ],
    ['the stage begins again', { ...head, type: 'process:stage_restarted', stageId: 'ideas', attempt: 2, counts: [] }],
    ['the process pauses', { ...head, type: 'process:paused' }],
    ['the process is completed', { ...head, type: 'process:completed', artifacts: [] }],
    [
      'the role is freed',
      { ...head, type: 'process:cast', casting: { roleId: 'ideator', memberId: 'ideator', kind: 'open' } },
    ],
  ])('is over when %s', (_, ev) => {
    expect(asked(fold([ev], applyTurn(begun(), ask)))).toEqual([])
  })

  it('stays when somebody else’s turn ends', () => {
    const v = fold(
      [
        {
          ...head,
          type: 'chat.done',
          ...run,
          requestId: 'q7',
          memberId: 'critic',
          turn: { ...turn, roleId: 'critic', stageTurns: 1, memberTurns: 1 },
        },
      ],
      applyTurn(begun(), ask),
    )
    expect(asked(v)).toEqual(['q1'])
  })
})

describe('streaming words', () => {
  const delta = (n: number, text: string) => ({
    type: 'chat.delta' as const,
    conversationId: 'c1',
    requestId: 'q1',
    messageId: 'm1',
    n,
    text,
  })
  const opened = applyStreams({}, open)

  it('grow by number, are not doubled, and a hole is seen', () => {
    let s: Streams = applyDelta(opened, delta(0, 'one '))
    s = applyDelta(s, delta(1, 'two'))
    expect(s['m1']).toEqual({ text: 'one two', next: 2 })
    expect(applyDelta(s, delta(1, 'two'))).toBe(s)
    expect(applyDelta(s, delta(3, 'four'))).toBe(s)
    expect([judgeDelta(s, delta(1, '')), judgeDelta(s, delta(2, '')), judgeDelta(s, delta(3, ''))]).toEqual([
      'known',
      'next',
      'gap',
    ])
  })

  it('are replaced by overlays, all of them', () => {
    const s = overlayStreams({ m2: { conversationId: 'c1', requestId: 'q2', text: 'so far', next: 7 } })
    expect(s).toEqual({ m2: { text: 'so far', next: 7 } })
  })

  it('end with the durable close, and late ones are not heard', () => {
    const s = applyStreams(applyDelta(opened, delta(0, 'x')), {
      ...head,
      type: 'assistant.segment.closed',
      conversationId: 'c1',
      requestId: 'q1',
      message: message('m1'),
      reason: 'interrupt',
    })
    expect(s).toEqual({})
    expect(judgeDelta(s, delta(1, 'late'))).toBe('known')
  })
})
