// Commands over a session, and frames that cannot be read: S4-B7, S4-B8, B16.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
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
import { CLOSE_UNREADABLE, HOLD_MS } from './session'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('commands', () => {
  const pause = { type: 'player:command', text: '/pause' } as const

  it('wait while there is no connection, go out after the attach, and are settled by the answer (B16)', () => {
    const { net, outbox } = openSession()
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    greet(net.last)
    net.last.say([welcomeSnapshot(5), snapshot(5, running(5), [view()])])
    expect(net.last.ofType('player:command')).toEqual([])
    net.last.say(overlays())
    // The person is not registered, so the server could not tell whose command it is.
    expect(net.last.ofType('player:command')).toEqual([])
    net.last.say(seated)
    expect(net.last.ofType('player:command')).toMatchObject([{ requestId: a.requestId, text: '/pause' }])
    expect(outbox.list.value[0]?.status).toBe('sent')
    net.last.say({ type: 'command:reply', requestId: a.requestId, command: 'player:command', text: 'Done.' })
    expect(outbox.list.value).toEqual([])
  })

  it('go again under the same id after a cut, and the event with that id settles them', () => {
    const { net, outbox } = openSession()
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
    const { net, outbox } = openSession()
    attach(net.last, 5)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    const second = cut(net)
    greet(second)
    second.say([
      seated,
      welcomeReplay(6, 6),
      { type: 'process:paused', seq: 6, at: AT, requestId: a.requestId },
      overlays(),
    ])
    expect(second.ofType('player:command')).toEqual([])
  })

  it('words whose row came with a snapshot are done, the others stay (S4-B8)', () => {
    const { net, outbox } = openSession()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c1', content: 'one' }, 'r1')
    outbox.add({ type: 'chat.send', requestId: 'w2', conversationId: 'c1', content: 'two' }, 'r1')
    const second = cut(net)
    greet(second)
    second.say([
      welcomeSnapshot(9),
      snapshot(9, running(9), [view({ messages: [message('m', { requestId: 'w1', role: 'user' })] })]),
    ])
    expect(outbox.list.value.map((p) => p.requestId)).toEqual(['w2'])
    second.say([overlays(), seated])
    expect(second.ofType('chat.send').map((f) => f.requestId)).toEqual(['w2'])
    second.say({ type: 'chat.started', conversationId: 'c1', requestId: 'w2', status: 'done', repeated: true })
    expect(outbox.list.value).toEqual([])
  })

  it('words whose row came with a transcript that was opened are done, the others stay (S4-B8)', () => {
    const { net, outbox } = openSession()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c2', content: 'one' }, 'r1')
    outbox.add({ type: 'chat.send', requestId: 'w2', conversationId: 'c2', content: 'two' }, 'r1')
    outbox.add({ type: 'conversation.open', conversationId: 'c2' }, 'r1')
    net.last.say({
      type: 'snapshot',
      requestId: net.last.ofType('conversation.open')[0]?.requestId,
      ...view({
        conversationId: 'c2',
        kind: 'chat',
        messages: [message('m', { requestId: 'w1', role: 'user', seq: 3 })],
      }),
      overlays: {},
    })
    expect(outbox.list.value.map((p) => p.requestId)).toEqual(['w2'])
  })

  it('to stop a run wait under an id of their own, and are answered by its end', () => {
    const { net, outbox } = openSession()
    attach(net.last, 5)
    const run = { conversationId: 'c1', requestId: 'q1', memberId: 'ideator' }
    net.last.end()
    outbox.add({ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }, 'r1')
    outbox.add({ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }, 'r1')
    vi.advanceTimersByTime(700)
    greet(net.last)
    // Events of the run do not answer the command.
    net.last.say([
      seated,
      welcomeReplay(6, 6),
      { type: 'assistant.segment.started', seq: 6, at: AT, ...run, messageId: 'm1', name: 'I' },
      overlays(),
    ])
    expect(net.last.ofType('chat.cancel')).toEqual([{ type: 'chat.cancel', conversationId: 'c1', requestId: 'q1' }])
    expect(outbox.list.value).toHaveLength(1)
    net.last.say({ type: 'chat.cancelled', seq: 7, at: AT, ...run, reason: 'person' })
    expect(outbox.list.value).toEqual([])
  })

  it('an overtaken message is still on its way (S1-12)', () => {
    const { net, outbox, realm } = openSession()
    attach(net.last, 5)
    outbox.add({ type: 'chat.send', requestId: 'w1', conversationId: 'c1', content: 'one', seenSeq: 3 }, 'r1')
    net.last.say({ type: 'conversation.overtaken', conversationId: 'c1', requestId: 'w1', name: 'Ben', lastSeq: 4 })
    expect(realm().overtaken).toMatchObject({ name: 'Ben' })
    expect(outbox.list.value).toHaveLength(1)
  })

  it('that waited go out in their order, each once (S4-B7)', () => {
    const { net, outbox } = openSession()
    for (const content of ['one', 'two', 'three'])
      outbox.add({ type: 'chat.send', requestId: `w-${content}`, conversationId: 'c1', content }, 'r1')
    net.last.accept()
    net.last.say([info(), seated, welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays()])
    expect(net.last.ofType('chat.send').map((f) => f.content)).toEqual(['one', 'two', 'three'])
    const second = cut(net)
    second.accept()
    second.say([info(), seated, welcomeReplay(6, 5), overlays()])
    expect(second.ofType('chat.send').map((f) => f.content)).toEqual(['one', 'two', 'three'])
  })

  it('that the disk cannot take are kept and sent again when it can', () => {
    const { net, outbox } = openSession()
    attach(net.last)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    const refuse = () =>
      net.last.say({ type: 'error', requestId: a.requestId, code: 'unsaved', message: 'the disk is full' })
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
    const { net, outbox, store } = openSession()
    attach(net.last)
    const a = outbox.add(pause, 'r1')
    if (!a.ok) throw new Error()
    net.last.say({ type: 'error', requestId: a.requestId, code: 'conflict', message: 'it is paused already' })
    expect(outbox.list.value).toMatchObject([
      { status: 'refused', error: { code: 'conflict', message: 'it is paused already' } },
    ])
    net.last.say({ type: 'error', requestId: 'of-nobody', code: 'internal', message: 'late' })
    expect(store.current.realm?.notes.at(-1)?.what).toMatchObject({ kind: 'error' })
  })

  it('progress of a link is no answer yet', () => {
    const { net, outbox, store } = openSession()
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

// Frames of an unknown type are ignored (P1.6).
describe('bad input', () => {
  it.each(['', 'no json', '7', '[1,2]', '{}', '{"type":7}', '[{"type":"moon:rose"},null]'])(
    '%j changes nothing',
    (text) => {
      const { net, store } = openSession()
      attach(net.last)
      const before = store.current
      net.last.say(text)
      expect(store.current).toBe(before)
    },
  )

  it('binary frames change nothing', () => {
    const { net, store } = openSession()
    attach(net.last)
    const before = store.current
    net.last.onmessage?.({ data: new ArrayBuffer(8) })
    expect(store.current).toBe(before)
  })

  it('a frame that cannot be folded leads to a snapshot, and in the end to a plain word', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { net, session } = openSession()
    attach(net.last, 5)
    const broken = { type: 'conversation.started', seq: 6, at: AT } // the conversation is missing
    for (let i = 0; i < 3; i++) {
      net.last.say(broken)
      expect(net.last.ofType('hello')).toHaveLength(2 + i)
      net.last.say([welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays()])
    }
    net.last.say(broken)
    expect(session.connection.status.value).toEqual({ state: 'stopped', code: CLOSE_UNREADABLE })
  })
})
