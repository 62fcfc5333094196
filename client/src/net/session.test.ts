import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Store } from '../state/store'
import { FakeNet, type FakeSocket } from '../testing/fake-socket'
import { added, AT, info, message, overlays, running, seated, snapshot, view, welcomeReplay, welcomeSnapshot } from '../testing/samples'
import { Outbox } from './outbox'
import { CLOSE_UNREADABLE, HOLD_MS, Session } from './session'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setup({ wanted = null as string | null } = {}) {
  const net = new FakeNet()
  const store = new Store()
  let kept: string | null = null
  const outbox = new Outbox({ read: () => kept, write: (t) => (kept = t) })
  const welcomes: [string | null, boolean][] = []
  const session = new Session({
    open: net.open,
    random: () => 0,
    store,
    outbox,
    who: () => ({ name: 'Ann', color: '#4fb8a3', tab: 't1' }),
    wanted: () => wanted,
    onWelcome: (id, asked) => welcomes.push([id, asked]),
  })
  session.connection.start()
  const realm = () => {
    const r = store.current.realm
    if (r === null) throw new Error('no realm')
    return r
  }
  const rows = () => realm().views['c1']?.messages.map((m) => m.messageId) ?? []
  return { net, store, outbox, session, welcomes, realm, rows }
}

function greet(s: FakeSocket): void {
  s.accept()
  s.say(info())
}

function attach(s: FakeSocket, seq = 5): void {
  greet(s)
  s.say([welcomeSnapshot(seq), snapshot(seq, running(seq), [view()]), overlays(), seated])
}

/** The socket is cut and the next one is open. */
function cut(net: FakeNet): FakeSocket {
  net.last.end()
  vi.advanceTimersByTime(700)
  return net.last
}

describe('connecting', () => {
  it('answers server:info with hello and registers, each time again (B16)', () => {
    const { net } = setup({ wanted: 'r1' })
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
    const { net, welcomes, realm } = setup()
    attach(net.last)
    net.last.say([info({ realmId: 'r2' }), welcomeSnapshot(1, 'r2', 'e9'), snapshot(1, { ...running(1), realm: { id: 'r2', name: 'Two', tenant: 'default' } }, [], 'e9'), overlays()])
    expect(net.last.ofType('hello')).toHaveLength(1)
    expect(realm().id).toBe('r2')
    expect(welcomes).toEqual([
      ['r1', false],
      ['r2', false],
    ])
  })

  it('knows a switch that it asked for, and settles the command', () => {
    const { net, outbox, welcomes } = setup()
    attach(net.last)
    outbox.add({ type: 'player:link-repo', path: '/x' }, 'r1')
    expect(net.last.ofType('player:link-repo')).toHaveLength(1)
    net.last.say([info({ realmId: 'r2' }), welcomeSnapshot(1, 'r2', 'e9')])
    expect(welcomes.at(-1)).toEqual(['r2', true])
    expect(outbox.list.value).toEqual([])
  })

  it('has no realm where the server has none', () => {
    const { net, store, session } = setup()
    greet(net.last)
    net.last.say({ type: 'welcome', realmId: null, continuity: 'none', epoch: null, from: 0, to: 0, mapGeneration: 0 })
    expect(store.current.realm).toBeNull()
    expect(session.connection.status.value).toEqual({ state: 'open', welcomed: true })
  })

  it('looks what else is there when its realm is gone, and comes back later when it may not be asked now', () => {
    const { net, session } = setup({ wanted: 'r1' })
    greet(net.last)
    net.last.say({ type: 'error', requestId: net.last.ofType('hello')[0]?.requestId, code: 'not_found', message: 'no' })
    expect(net.last.ofType('hello')).toHaveLength(2)
    expect(net.last.ofType('hello')[1]?.realmId).toBeUndefined()
    net.last.say({ type: 'error', requestId: net.last.ofType('hello')[1]?.requestId, code: 'not_ready', message: 'no' })
    expect(session.connection.status.value.state).toBe('waiting')
  })
})

describe('a replay that does not end well', () => {
  /** The socket is cut, and the page has tried again, however long it waited. */
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
    const { net, rows } = setup()
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
    expect(later.ofType('hello')).toMatchObject([{ realmId: 'r1', epoch: 'e1', lastSeq: 10 }])
  })

  it('does not count a replay that was attached, or a server that was not there', () => {
    const { net } = setup()
    attach(net.last, 5)
    cut(net)
    for (let i = 0; i < 3; i++) {
      greet(net.last)
      net.last.say([welcomeReplay(6, 5), overlays()])
      cutAndBack(net)
      cutAndBack(net) // before it is open
    }
    greet(net.last)
    expect(net.last.ofType('hello')).toMatchObject([{ realmId: 'r1', lastSeq: 5 }])
  })

  it('takes the snapshot that the server gives in the middle of a replay, and settles no switch by it', () => {
    const { net, outbox, rows, welcomes } = setup()
    attach(net.last, 5)
    const second = cut(net)
    greet(second)
    second.say([welcomeReplay(6, 9), added(6, 'a')])
    second.say([{ ...welcomeSnapshot(9), reason: 'damaged' }, snapshot(9, running(9), [view()]), overlays(), seated, added(10, 'b')])
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
    const { net, rows } = setup()
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
    const { net, realm } = setup()
    attach(net.last, 5)
    const second = cut(net)
    greet(second)
    second.say([welcomeReplay(6, 6, 'e2'), { type: 'realm:restored', seq: 6, at: AT, source: 'checkpoint', restoredTo: 5, interruptedRuns: 1, missingMembers: [] }, overlays()])
    expect(realm().epoch).toBe('e2')
    expect(realm().restored).toMatchObject({ stageIndex: 0, stages: 2, process: 'running' })
    const third = cut(net)
    greet(third)
    expect(third.ofType('hello')).toMatchObject([{ epoch: 'e2', lastSeq: 6 }])
  })

  it('ignores what it has: nothing is doubled after a reconnect', () => {
    const { net, rows } = setup()
    attach(net.last, 5)
    net.last.say([added(6, 'a'), added(6, 'a2'), added(5, 'old'), added(7, 'b')])
    expect(rows()).toEqual(['a', 'b'])
  })

  it('says hello again at a gap, and applies nothing beyond it', () => {
    const { net, rows } = setup()
    attach(net.last, 5)
    net.last.say([added(6, 'a'), added(8, 'c'), added(9, 'd')])
    expect(rows()).toEqual(['a'])
    expect(net.last.ofType('hello')).toHaveLength(2)
    expect(net.last.ofType('hello')[1]).toMatchObject({ epoch: 'e1', lastSeq: 6 })
    net.last.say([added(10, 'x'), welcomeReplay(7, 9), added(7, 'b'), added(8, 'c'), added(9, 'd'), overlays()])
    expect(rows()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('asks for a snapshot when asking again does not mend a gap', () => {
    const { net } = setup()
    attach(net.last, 5)
    for (let i = 0; i < 4; i++) net.last.say([added(9, 'x'), welcomeReplay(6, 9)])
    net.last.say(added(9, 'x'))
    const last = net.last.ofType('hello').at(-1)
    expect(last).toMatchObject({ realmId: 'r1' })
    expect(last?.lastSeq).toBeUndefined()
  })

  it('a snapshot replaces the state; events before it is here are not applied', () => {
    const { net, rows, realm } = setup()
    attach(net.last, 5)
    net.last.say(added(6, 'a'))
    const second = cut(net)
    greet(second)
    second.say([welcomeSnapshot(20), added(7, 'stray')])
    expect(realm().world.tick).toBe(6) // the old world stays in sight meanwhile
    second.say([snapshot(20, running(20), [view({ messages: [message('z')] })]), added(21, 'y'), overlays()])
    expect(rows()).toEqual(['z', 'y'])
  })

  it('takes no replay that does not continue what it has', () => {
    const { net, rows } = setup()
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
  const open = (seq: number) => ({ type: 'assistant.segment.started', seq, at: AT, conversationId: 'c1', requestId: 'q1', messageId: 'm1', memberId: 'ideator', name: 'Ideator' })
  const delta = (n: number, text: string) => ({ type: 'chat.delta', conversationId: 'c1', requestId: 'q1', messageId: 'm1', n, text })

  it('shows the words so far after a reconnect, then the rest, once', () => {
    const { net, realm } = setup()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'half '), delta(0, 'half ')])
    const second = cut(net)
    greet(second)
    second.say([welcomeReplay(7, 6), overlays({ m1: { conversationId: 'c1', requestId: 'q1', text: 'half a sent', next: 3 } }), delta(2, 'sent'), delta(3, 'ence')])
    expect(realm().streams['m1']).toEqual({ text: 'half a sentence', next: 4 })
  })

  const chat = (seq: number) => ({ type: 'conversation.started', seq, at: AT, conversation: { ...view(), conversationId: 'c2', kind: 'chat', messages: undefined } })
  const opens = (net: FakeNet) => net.last.ofType('conversation.open')
  const overlay = (text: string, next: number) => ({ m1: { conversationId: 'c1', requestId: 'q1', text, next } })
  const told = (requestId: string | undefined, text: string, next: number) => ({ type: 'snapshot', requestId, ...view({ lastSeq: 6, hasMore: true }), overlays: overlay(text, next) })

  it('mends a hole in a conversation by asking for what has streamed, and keeps its rows', () => {
    const { net, realm, rows } = setup()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a'), delta(2, 'c'), delta(3, 'd')])
    expect(opens(net)).toMatchObject([{ conversationId: 'c1', limit: 0 }]) // asked once
    expect(realm().streams['m1']?.text).toBe('a')
    net.last.say([told(opens(net)[0]?.requestId, 'abcd', 4), delta(4, 'e')])
    expect(realm().streams['m1']?.text).toBe('abcde')
    expect(rows()).toEqual(['m1'])
    expect(realm().views['c1']?.hasMore).toBe(false) // it says nothing of rows that were not asked for
    expect(net.last.ofType('hello')).toHaveLength(1)
  })

  it('mends as many holes as there are', () => {
    const { net, realm } = setup()
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
    const { net, realm } = setup()
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
    const { net } = setup()
    attach(net.last, 5)
    net.last.say([open(6), delta(0, 'a'), delta(2, 'c')])
    vi.advanceTimersByTime(5_000)
    net.last.say(delta(3, 'd'))
    expect(opens(net)).toHaveLength(2)
    net.last.say({ type: 'error', requestId: opens(net)[1]?.requestId, code: 'not_found', message: 'no' })
    expect(net.last.ofType('hello')).toHaveLength(2)
  })

  it('follows any conversation, and hears no words of requests whose row is not open (S4-B9)', () => {
    const { net, realm } = setup()
    attach(net.last, 5)
    net.last.say([chat(6), { ...open(7), conversationId: 'c2' }, { ...delta(0, 'in the chat'), conversationId: 'c2' }])
    expect(realm().streams['m1']?.text).toBe('in the chat')
    const before = realm()
    net.last.say([{ ...delta(0, 'x'), requestId: 'stray', messageId: 'nowhere' }, { type: 'chat.started', conversationId: 'c2', requestId: 'stray', status: 'running', repeated: true }])
    expect(realm()).toBe(before)
  })

  it('takes a snapshot that was asked for: the words so far are there at once (S4-11)', () => {
    const { net, realm, outbox } = setup()
    attach(net.last, 5)
    outbox.add({ type: 'conversation.open', conversationId: 'c9' }, 'r1')
    const row = message('m9', { conversationId: 'c9', status: 'open', content: '', seq: 4 })
    net.last.say({ type: 'snapshot', requestId: opens(net)[0]?.requestId, ...view({ conversationId: 'c9', kind: 'chat', lastSeq: 5, messages: [row] }), overlays: { m9: { conversationId: 'c9', requestId: 'q9', text: 'half a', next: 2 } } })
    expect(outbox.list.value).toEqual([])
    expect(realm().streams['m9']).toEqual({ text: 'half a', next: 2 })
    net.last.say({ ...delta(2, ' word'), conversationId: 'c9', requestId: 'q9', messageId: 'm9' })
    expect(realm().streams['m9']?.text).toBe('half a word')
  })
})

describe('commands', () => {
  const pause = { type: 'player:command', text: '/pause' } as const

  it('wait while there is no connection, go out after the attach, and are settled by the answer (B16)', () => {
    const { net, outbox } = setup()
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    greet(net.last)
    net.last.say([welcomeSnapshot(5), snapshot(5, running(5), [view()])])
    expect(net.last.ofType('player:command')).toEqual([])
    net.last.say(overlays())
    expect(net.last.ofType('player:command')).toEqual([]) // not registered yet: nobody's command
    net.last.say(seated)
    expect(net.last.ofType('player:command')).toMatchObject([{ requestId: a.requestId, text: '/pause' }])
    expect(outbox.list.value[0]?.status).toBe('sent')
    net.last.say({ type: 'command:reply', requestId: a.requestId, command: 'player:command', text: 'Done.' })
    expect(outbox.list.value).toEqual([])
  })

  it('go again under the same id after a cut, and the event with that id settles them', () => {
    const { net, outbox } = setup()
    attach(net.last)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    const second = cut(net)
    attach(second, 5)
    expect(second.ofType('player:command')).toMatchObject([{ requestId: a.requestId }])
    second.say({ type: 'process:paused', seq: 6, at: AT, requestId: a.requestId })
    expect(outbox.list.value).toEqual([])
  })

  it('are not sent again when the replay shows that they were done', () => {
    const { net, outbox } = setup()
    attach(net.last, 5)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    const second = cut(net)
    greet(second)
    second.say([seated, welcomeReplay(6, 6), { type: 'process:paused', seq: 6, at: AT, requestId: a.requestId }, overlays()])
    expect(second.ofType('player:command')).toEqual([])
  })

  it('words whose row came with a snapshot are done, the others stay (S4-B8)', () => {
    const { net, outbox } = setup()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c1', content: 'one' }, 'r1')
    outbox.add({ type: 'chat.send', requestId: 'w2', conversationId: 'c1', content: 'two' }, 'r1')
    const second = cut(net)
    greet(second)
    second.say([welcomeSnapshot(9), snapshot(9, running(9), [view({ messages: [message('m', { requestId: 'w1', role: 'user' })] })])])
    expect(outbox.list.value.map((p) => p.requestId)).toEqual(['w2'])
    second.say([overlays(), seated])
    expect(second.ofType('chat.send').map((f) => f.requestId)).toEqual(['w2'])
    second.say({ type: 'chat.started', conversationId: 'c1', requestId: 'w2', status: 'done', repeated: true })
    expect(outbox.list.value).toEqual([])
  })

  it('words whose row came with a transcript that was opened are done, the others stay (S4-B8)', () => {
    const { net, outbox } = setup()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c2', content: 'one' }, 'r1')
    outbox.add({ type: 'chat.send', requestId: 'w2', conversationId: 'c2', content: 'two' }, 'r1')
    outbox.add({ type: 'conversation.open', conversationId: 'c2' }, 'r1')
    net.last.say({ type: 'snapshot', requestId: net.last.ofType('conversation.open')[0]?.requestId, ...view({ conversationId: 'c2', kind: 'chat', messages: [message('m', { requestId: 'w1', role: 'user', seq: 3 })] }), overlays: {} })
    expect(outbox.list.value.map((p) => p.requestId)).toEqual(['w2'])
  })

  it('to stop a run wait under an id of their own, and are answered by its end', () => {
    const { net, outbox } = setup()
    attach(net.last, 5)
    const run = { conversationId: 'c1', requestId: 'q1', memberId: 'ideator' }
    net.last.end()
    outbox.add({ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }, 'r1')
    outbox.add({ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }, 'r1')
    vi.advanceTimersByTime(700)
    greet(net.last)
    // Events of the run do not answer it.
    net.last.say([seated, welcomeReplay(6, 6), { type: 'assistant.segment.started', seq: 6, at: AT, ...run, messageId: 'm1', name: 'I' }, overlays()])
    expect(net.last.ofType('chat.cancel')).toEqual([{ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }])
    expect(outbox.list.value).toHaveLength(1)
    net.last.say({ type: 'chat.cancelled', seq: 7, at: AT, ...run, reason: 'person' })
    expect(outbox.list.value).toEqual([])
  })

  it('an overtaken message is still on its way (S1-12)', () => {
    const { net, outbox, realm } = setup()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c1', content: 'one', seenSeq: 3 }, 'r1')
    net.last.say({ type: 'conversation.overtaken', conversationId: 'c1', requestId: 'w1', name: 'Ben', lastSeq: 4 })
    expect(realm().overtaken).toMatchObject({ name: 'Ben' })
    expect(outbox.list.value).toHaveLength(1)
  })

  it('that waited go out in their order, each once (S4-B7)', () => {
    const { net, outbox } = setup()
    for (const content of ['one', 'two', 'three']) outbox.add({ type: 'chat.send', requestId: `w-${content}`, conversationId: 'c1', content }, 'r1')
    net.last.accept()
    net.last.say([info(), seated, welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays()])
    expect(net.last.ofType('chat.send').map((f) => f.content)).toEqual(['one', 'two', 'three'])
    const second = cut(net)
    second.accept()
    second.say([info(), seated, welcomeReplay(6, 5), overlays()])
    expect(second.ofType('chat.send').map((f) => f.content)).toEqual(['one', 'two', 'three'])
  })

  it('that the disk cannot take are kept and sent again when it can', () => {
    const { net, outbox } = setup()
    attach(net.last)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    const refuse = () => net.last.say({ type: 'error', requestId: a.requestId, code: 'unsaved', message: 'the disk is full' })
    refuse()
    expect(outbox.list.value[0]).toMatchObject({ status: 'held' })
    expect(net.last.ofType('player:command')).toHaveLength(1)
    vi.advanceTimersByTime(HOLD_MS)
    expect(net.last.ofType('player:command')).toHaveLength(2)
    refuse()
    net.last.say({ type: 'save:status', state: 'saved', seq: 5 })
    expect(net.last.ofType('player:command')).toHaveLength(3)
    expect(new Set(net.last.ofType('player:command').map((f) => f.requestId)).size).toBe(1)
  })

  it('that were refused stay with the reason until somebody has read it', () => {
    const { net, outbox, store } = setup()
    attach(net.last)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    net.last.say({ type: 'error', requestId: a.requestId, code: 'conflict', message: 'it is paused already' })
    expect(outbox.list.value).toMatchObject([{ status: 'refused', error: { code: 'conflict', message: 'it is paused already' } }])
    net.last.say({ type: 'error', requestId: 'of-nobody', code: 'internal', message: 'late' })
    expect(store.current.realm?.notes.at(-1)?.what).toMatchObject({ kind: 'error' })
  })

  it('progress of a link is no answer yet', () => {
    const { net, outbox, store } = setup()
    attach(net.last)
    const a = outbox.add({ type: 'player:link-repo', path: '/x' }, 'r1')
    if (!a.ok) throw new Error()
    net.last.say({ type: 'realm:progress', requestId: a.requestId, phase: 'scanning', done: 3, total: 10 })
    expect(outbox.list.value).toHaveLength(1)
    expect(store.current.progress).toMatchObject({ done: 3, total: 10 })
    net.last.say({ type: 'error', requestId: a.requestId, code: 'not_found', message: 'no such folder' })
    expect(outbox.list.value).toMatchObject([{ status: 'refused' }])
  })
})

describe('bad input', () => {
  it.each(['', 'no json', '7', '[1,2]', '{}', '{"type":7}', '[{"type":"moon:rose"},null]'])('%j changes nothing', (text) => {
    const { net, store } = setup()
    attach(net.last)
    const before = store.current
    net.last.say(text)
    expect(store.current).toBe(before)
  })

  it('binary frames change nothing', () => {
    const { net, store } = setup()
    attach(net.last)
    const before = store.current
    net.last.onmessage?.({ data: new ArrayBuffer(8) })
    expect(store.current).toBe(before)
  })

  it('a frame that cannot be folded leads to a snapshot, and in the end to a plain word', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { net, session } = setup()
    attach(net.last, 5)
    const broken = { type: 'conversation.started', seq: 6, at: AT } // no conversation in it
    for (let i = 0; i < 3; i++) {
      net.last.say(broken)
      expect(net.last.ofType('hello')).toHaveLength(2 + i)
      net.last.say([welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays()])
    }
    net.last.say(broken)
    expect(session.connection.status.value).toEqual({ state: 'stopped', code: CLOSE_UNREADABLE })
  })
})
