// How a session attaches, follows events and repairs gaps: B16, S4-B9, S4-11.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeNet } from '../testing/fake-socket'
import {
  added,
  AT,
  info,
  message,
  overlays,
  running,
  seated,
  snapshot,
  view,
  welcomeReplay,
  welcomeSnapshot,
} from '../testing/samples'
import { attach, cut, greet, openSession } from '../testing/session-page'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('connecting', () => {
  it('answers server:info with hello and registers, each time again (B16)', () => {
    const { net } = openSession({ wanted: 'r1' })
    net.last.accept()
    expect(net.last.sent).toEqual([])
    net.last.say(info())
    expect(net.last.ofType('hello')).toMatchObject([{ protocol: 1, realmId: 'r1' }])
    expect(net.last.ofType('hello')[0]?.lastSeq).toBeUndefined()
    expect(net.last.ofType('spectator:register')).toMatchObject([{ name: 'Ann', color: '#4fb8a3', tab: 't1' }])
    net.last.say([welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays(), seated])
    const second = cut(net)
    greet(second)
    expect(second.ofType('spectator:register')).toHaveLength(1)
    expect(second.ofType('hello')).toHaveLength(1)
  })

  it('says hello once a connection: a later server:info is the head of a switch', () => {
    const { net, welcomes, realm } = openSession()
    attach(net.last)
    net.last.say([
      info({ realmId: 'r2' }),
      welcomeSnapshot(1, 'r2', 'e9'),
      snapshot(1, { ...running(1), realm: { id: 'r2', name: 'Two', tenant: 'default' } }, [], 'e9'),
      overlays(),
    ])
    expect(net.last.ofType('hello')).toHaveLength(1)
    expect(realm().id).toBe('r2')
    expect(welcomes).toEqual([
      ['r1', false],
      ['r2', false],
    ])
  })

  it('knows a switch that it asked for, and settles the command', () => {
    const { net, outbox, welcomes } = openSession()
    attach(net.last)
    outbox.add({ type: 'player:link-repo', path: '/x' }, 'r1')
    expect(net.last.ofType('player:link-repo')).toHaveLength(1)
    net.last.say([info({ realmId: 'r2' }), welcomeSnapshot(1, 'r2', 'e9')])
    expect(welcomes.at(-1)).toEqual(['r2', true])
    expect(outbox.list.value).toEqual([])
  })

  it('has no realm where the server has none', () => {
    const { net, store, session } = openSession()
    greet(net.last)
    net.last.say({ type: 'welcome', realmId: null, continuity: 'none', epoch: null, from: 0, to: 0, mapGeneration: 0 })
    expect(store.current.realm).toBeNull()
    expect(session.connection.status.value).toEqual({ state: 'open', welcomed: true })
  })

  it('looks what else is there when its realm is gone, and comes back later when it may not be asked now', () => {
    const { net, session } = openSession({ wanted: 'r1' })
    greet(net.last)
    net.last.say({ type: 'error', requestId: net.last.ofType('hello')[0]?.requestId, code: 'not_found', message: 'no' })
    expect(net.last.ofType('hello')).toHaveLength(2)
    expect(net.last.ofType('hello')[1]?.realmId).toBeUndefined()
    net.last.say({ type: 'error', requestId: net.last.ofType('hello')[1]?.requestId, code: 'not_ready', message: 'no' })
    expect(session.connection.status.value.state).toBe('waiting')
  })
})

describe('a replay that does not end well', () => {
  /** Closes the socket and waits for the next try. */
  const cutAndBack = (net: FakeNet, code?: number) => {
    const was = net.last
    was.end(code)
    while (net.last === was) vi.advanceTimersByTime(100)
  }
  const cutInReplay = (net: FakeNet) => {
    greet(net.last)
    net.last.say([welcomeReplay(6, 9), added(6, 'a')])
    cutAndBack(net, 1011)
  }

  it('asks for a snapshot once it has ended twice, until an attach is whole', () => {
    const { net, rows } = openSession()
    attach(net.last, 5)
    cut(net)
    cutInReplay(net)
    cutInReplay(net)
    greet(net.last)
    const hello = net.last.ofType('hello')[0]
    expect(hello).toMatchObject({ realmId: 'r1' })
    expect(hello?.lastSeq).toBeUndefined()
    net.last.say([welcomeSnapshot(9), snapshot(9, running(9), [view()]), overlays()])
    net.last.say(added(10, 'b'))
    expect(rows()).toContain('b')
    const later = cut(net)
    greet(later)
    expect(later.ofType('hello')).toMatchObject([{ realmId: 'r1', epoch: 'e1', lastSeq: 10, mapGeneration: 0 }])
  })

  it('does not count a replay that was attached, or a server that was not there', () => {
    const { net } = openSession()
    attach(net.last, 5)
    cut(net)
    for (let i = 0; i < 3; i++) {
      greet(net.last)
      net.last.say([welcomeReplay(6, 5), overlays()])
      cutAndBack(net)
      cutAndBack(net) // close the socket before it is open
    }
    greet(net.last)
    expect(net.last.ofType('hello')).toMatchObject([{ realmId: 'r1', lastSeq: 5 }])
  })

  it('takes the snapshot that the server gives in the middle of a replay, and settles no switch by it', () => {
    const { net, outbox, rows, welcomes } = openSession()
    attach(net.last, 5)
    const second = cut(net)
    greet(second)
    second.say([welcomeReplay(6, 9), added(6, 'a')])
    second.say([
      { ...welcomeSnapshot(9), reason: 'damaged' },
      snapshot(9, running(9), [view()]),
      overlays(),
      seated,
      added(10, 'b'),
    ])
    expect(rows()).toContain('b')
    outbox.add({ type: 'player:link-repo', path: '/x' }, 'r1')
    expect(second.ofType('player:link-repo')).toHaveLength(1)
    second.say([{ ...welcomeSnapshot(10), reason: 'damaged' }, snapshot(10, running(10), [view()]), overlays()])
    expect(welcomes.at(-1)).toEqual(['r1', false])
    expect(outbox.list.value).toHaveLength(1)
    expect(second.ofType('hello')).toHaveLength(1)
  })
})

describe('the position', () => {
  it('advances with every event that is applied, and is what a reconnect names', () => {
    const { net, rows } = openSession()
    attach(net.last, 5)
    net.last.say(added(6, 'a'))
    net.last.say([added(7, 'b'), added(8, 'c')])
    const second = cut(net)
    greet(second)
    expect(second.ofType('hello')).toMatchObject([{ realmId: 'r1', epoch: 'e1', lastSeq: 8 }])
    second.say([welcomeReplay(9, 10), added(9, 'd'), added(10, 'e'), overlays()])
    expect(rows()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('adopts the epoch of welcome, so that the next reconnect replays from there', () => {
    const { net, realm } = openSession()
    attach(net.last, 5)
    const second = cut(net)
    greet(second)
    second.say([
      welcomeReplay(6, 6, 'e2'),
      {
        type: 'realm:restored',
        seq: 6,
        at: AT,
        source: 'checkpoint',
        restoredTo: 5,
        interruptedRuns: 1,
        missingMembers: [],
      },
      overlays(),
    ])
    expect(realm().epoch).toBe('e2')
    expect(realm().restored).toMatchObject({ stageIndex: 0, stages: 2, process: 'running' })
    const third = cut(net)
    greet(third)
    expect(third.ofType('hello')).toMatchObject([{ epoch: 'e2', lastSeq: 6 }])
  })

  it('ignores what it has: nothing is doubled after a reconnect', () => {
    const { net, rows } = openSession()
    attach(net.last, 5)
    net.last.say([added(6, 'a'), added(6, 'a2'), added(5, 'old'), added(7, 'b')])
    expect(rows()).toEqual(['a', 'b'])
  })

  it('says hello again at a gap, and applies nothing beyond it', () => {
    const { net, rows } = openSession()
    attach(net.last, 5)
    net.last.say([added(6, 'a'), added(8, 'c'), added(9, 'd')])
    expect(rows()).toEqual(['a'])
    expect(net.last.ofType('hello')).toHaveLength(2)
    expect(net.last.ofType('hello')[1]).toMatchObject({ epoch: 'e1', lastSeq: 6 })
    net.last.say([added(10, 'x'), welcomeReplay(7, 9), added(7, 'b'), added(8, 'c'), added(9, 'd'), overlays()])
    expect(rows()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('asks for a snapshot when asking again does not mend a gap', () => {
    const { net } = openSession()
    attach(net.last, 5)
    for (let i = 0; i < 4; i++) net.last.say([added(9, 'x'), welcomeReplay(6, 9)])
    net.last.say(added(9, 'x'))
    const last = net.last.ofType('hello').at(-1)
    expect(last).toMatchObject({ realmId: 'r1' })
    expect(last?.lastSeq).toBeUndefined()
  })

  it('a snapshot replaces the state; events before it is here are not applied', () => {
    const { net, rows, realm } = openSession()
    attach(net.last, 5)
    net.last.say(added(6, 'a'))
    const second = cut(net)
    greet(second)
    second.say([welcomeSnapshot(20), added(7, 'stray')])
    expect(realm().world.tick).toBe(6) // the page shows the old world until the new one arrives
    second.say([snapshot(20, running(20), [view({ messages: [message('z')] })]), added(21, 'y'), overlays()])
    expect(rows()).toEqual(['z', 'y'])
  })

  it('takes no replay that does not continue what it has', () => {
    const { net, rows } = openSession()
    attach(net.last, 5)
    const second = cut(net)
    greet(second)
    second.say([welcomeReplay(9, 10), added(9, 'x')])
    expect(rows()).toEqual([])
    expect(second.ofType('hello')).toHaveLength(2)
    expect(second.ofType('hello')[1]?.lastSeq).toBeUndefined()
  })
})

describe('streaming', () => {
  const open = (seq: number) => ({
    type: 'assistant.segment.started',
    seq,
    at: AT,
    conversationId: 'c1',
    requestId: 'q1',
    messageId: 'm1',
    memberId: 'ideator',
    name: 'Ideator',
  })
  const delta = (n: number, text: string) => ({
    type: 'chat.delta',
    conversationId: 'c1',
    requestId: 'q1',
    messageId: 'm1',
    n,
    text,
  })

  it('shows the words so far after a reconnect, then the rest, once', () => {
    const { net, realm } = openSession()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'half '), delta(0, 'half ')])
    const second = cut(net)
    greet(second)
    second.say([
      welcomeReplay(7, 6),
      overlays({ m1: { conversationId: 'c1', requestId: 'q1', text: 'half a sent', next: 3 } }),
      delta(2, 'sent'),
      delta(3, 'ence'),
    ])
    expect(realm().streams['m1']).toEqual({ text: 'half a sentence', next: 4 })
  })

  const chat = (seq: number) => ({
    type: 'conversation.started',
    seq,
    at: AT,
    conversation: { ...view(), conversationId: 'c2', kind: 'chat', messages: undefined },
  })
  const opens = (net: FakeNet) => net.last.ofType('conversation.open')
  const overlay = (text: string, next: number) => ({ m1: { conversationId: 'c1', requestId: 'q1', text, next } })
  const told = (requestId: string | undefined, text: string, next: number) => ({
    type: 'snapshot',
    requestId,
    ...view({ lastSeq: 6, hasMore: true }),
    overlays: overlay(text, next),
  })

  it('mends a hole in a conversation by asking for what has streamed, and keeps its rows', () => {
    const { net, realm, rows } = openSession()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a'), delta(2, 'c'), delta(3, 'd')])
    expect(opens(net)).toMatchObject([{ conversationId: 'c1', limit: 0 }]) // the page sends one request
    expect(realm().streams['m1']?.text).toBe('a')
    net.last.say([told(opens(net)[0]?.requestId, 'abcd', 4), delta(4, 'e')])
    expect(realm().streams['m1']?.text).toBe('abcde')
    expect(rows()).toEqual(['m1'])
    expect(realm().views['c1']?.hasMore).toBe(false) // an answer without rows does not change hasMore
    expect(net.last.ofType('hello')).toHaveLength(1)
  })

  it('mends as many holes as there are', () => {
    const { net, realm } = openSession()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a')])
    for (let i = 1; i < 9; i++) {
      net.last.say(delta(3 * i, 'lost'))
      net.last.say([told(opens(net).at(-1)?.requestId, `${i}`, 3 * i + 1), delta(3 * i + 1, '.')])
    }
    expect(realm().streams['m1']?.text).toBe('8.')
    expect(net.last.ofType('hello')).toHaveLength(1)
  })

  it('attaches again, from where it stands, when that does not help', () => {
    const { net, realm } = openSession()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a')])
    for (let i = 0; i < 3; i++) {
      net.last.say(delta(9, 'z'))
      net.last.say(told(opens(net).at(-1)?.requestId, 'a', 1))
    }
    net.last.say(delta(9, 'z'))
    expect(net.last.ofType('hello')[1]).toMatchObject({ lastSeq: 6 })
    net.last.say([welcomeReplay(7, 6), overlays(overlay('abc', 3)), delta(3, 'd')])
    expect(realm().streams['m1']?.text).toBe('abcd')
  })

  it('attaches again when the server refuses to mend, and asks again when it does not answer', () => {
    const { net } = openSession()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a'), delta(2, 'c')])
    vi.advanceTimersByTime(5_000)
    net.last.say(delta(3, 'd'))
    expect(opens(net)).toHaveLength(2)
    net.last.say({ type: 'error', requestId: opens(net)[1]?.requestId, code: 'not_found', message: 'no' })
    expect(net.last.ofType('hello')).toHaveLength(2)
  })

  it('follows any conversation, and hears no words of requests whose row is not open (S4-B9)', () => {
    const { net, realm } = openSession()
    attach(net.last, 5)
    net.last.say([chat(6), { ...open(7), conversationId: 'c2' }, { ...delta(0, 'in the chat'), conversationId: 'c2' }])
    expect(realm().streams['m1']?.text).toBe('in the chat')
    const before = realm()
    net.last.say([
      { ...delta(0, 'x'), requestId: 'stray', messageId: 'nowhere' },
      { type: 'chat.started', conversationId: 'c2', requestId: 'stray', status: 'running', repeated: true },
    ])
    expect(realm()).toBe(before)
  })

  it('takes a snapshot that was asked for: the words so far are there at once (S4-11)', () => {
    const { net, realm, outbox } = openSession()
    attach(net.last, 5)
    outbox.add({ type: 'conversation.open', conversationId: 'c9' }, 'r1')
    const row = message('m9', { conversationId: 'c9', status: 'open', content: '', seq: 4 })
    net.last.say({
      type: 'snapshot',
      requestId: opens(net)[0]?.requestId,
      ...view({ conversationId: 'c9', kind: 'chat', lastSeq: 5, messages: [row] }),
      overlays: { m9: { conversationId: 'c9', requestId: 'q9', text: 'half a', next: 2 } },
    })
    expect(outbox.list.value).toEqual([])
    expect(realm().streams['m9']).toEqual({ text: 'half a', next: 2 })
    net.last.say({ ...delta(2, ' word'), conversationId: 'c9', requestId: 'q9', messageId: 'm9' })
    expect(realm().streams['m9']?.text).toBe('half a word')
  })
})
