// S4-B7: back-off, time limits, wake-ups by the browser, and final close codes (P3.4, P3.5).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeNet } from '../testing/fake-socket'
import { backoff } from './backoff'
import {
  CONNECT_TIMEOUT_MS,
  Connection,
  isFinal,
  PROBE_TIMEOUT_MS,
  STALE_MS,
  STUCK_MS,
  WELCOME_TIMEOUT_MS,
} from './connection'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function connect(random = () => 0) {
  const net = new FakeNet()
  const calls = { opened: 0, lost: 0, probes: 0, heard: [] as unknown[] }
  const connection = new Connection({
    open: net.open,
    random,
    onOpen: () => calls.opened++,
    onMessage: (data) => calls.heard.push(data),
    onLost: () => calls.lost++,
    probe: () => calls.probes++,
  })
  connection.start()
  return { net, calls, connection }
}

describe('back-off', () => {
  it('is 450 ms doubled up to 12 s, and up to 250 ms more', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 60].map((n) => backoff(n, () => 0))).toEqual([
      450, 900, 1800, 3600, 7200, 12_000, 12_000, 12_000,
    ])
    expect(backoff(0, () => 0.999)).toBeCloseTo(699.75)
    expect(backoff(9, () => 0.5)).toBe(12_125)
  })
})

describe('a connection', () => {
  it('comes back after growing waits, and starts small once it was welcomed (B16)', () => {
    const { net, connection } = connect()
    const waits: number[] = []
    for (let i = 0; i < 4; i++) {
      net.last.end()
      const s = connection.status.value
      if (s.state !== 'waiting') throw new Error(s.state)
      waits.push(s.until - Date.now())
      vi.advanceTimersByTime(s.until - Date.now())
    }
    expect(waits).toEqual([450, 900, 1800, 3600])
    expect(net.sockets).toHaveLength(5)
    net.last.accept()
    connection.welcomed()
    expect(connection.status.value).toEqual({ state: 'open', welcomed: true })
    net.last.end()
    const s = connection.status.value
    expect(s.state === 'waiting' && s.until - Date.now()).toBe(450)
  })

  it('an open that is not welcomed does not reset the waits', () => {
    const { net, connection } = connect()
    for (let i = 0; i < 3; i++) {
      net.last.accept()
      net.last.end(1001)
      vi.runOnlyPendingTimers()
    }
    net.last.end()
    const s = connection.status.value
    expect(s.state === 'waiting' && s.until - Date.now()).toBe(3600)
  })

  it('gives up a socket that does not open in time', () => {
    const { net, connection } = connect()
    vi.advanceTimersByTime(CONNECT_TIMEOUT_MS - 1)
    expect(connection.status.value.state).toBe('connecting')
    vi.advanceTimersByTime(1)
    expect(connection.status.value.state).toBe('waiting')
    expect(net.last.closed).not.toBeNull()
  })

  it('gives up one that has been opening for long as soon as the network or the reader is back (S4-B7)', () => {
    const { net, connection } = connect()
    vi.advanceTimersByTime(STUCK_MS - 1)
    connection.wake()
    expect(net.sockets).toHaveLength(1)
    vi.advanceTimersByTime(1)
    connection.wake()
    expect(net.sockets).toHaveLength(2)
    expect(net.sockets[0]?.closed).not.toBeNull()
    net.last.accept()
    expect(connection.status.value.state).toBe('open')
  })

  it('tells how it stands (S4-B7)', () => {
    const { net, connection } = connect()
    expect(connection.snapshot).toEqual({
      status: { state: 'connecting' },
      sockets: 1,
      failures: 0,
      heardAt: 0,
      openingSince: Date.now(),
    })
    net.last.end()
    expect(connection.snapshot).toMatchObject({ status: { state: 'waiting' }, failures: 1 })
  })

  it('gives up a server that never welcomes', () => {
    const { net, connection } = connect()
    net.last.accept()
    vi.advanceTimersByTime(WELCOME_TIMEOUT_MS)
    expect(connection.status.value.state).toBe('waiting')
    vi.runOnlyPendingTimers()
    expect(net.sockets).toHaveLength(2)
  })

  it('tries at once when the network or the reader is back', () => {
    const { net, connection } = connect()
    net.last.end()
    connection.wake()
    expect(net.sockets).toHaveLength(2)
    connection.wake() // a try to connect is under way
    expect(net.sockets).toHaveLength(2)
    net.last.end()
    connection.retryNow()
    expect(net.sockets).toHaveLength(3)
  })

  it('asks an open socket that was out of sight for a sign of life', () => {
    const { net, calls, connection } = connect()
    net.last.accept()
    connection.welcomed()
    connection.wake()
    expect(calls.probes).toBe(0) // no probe is needed: a message has just arrived
    vi.advanceTimersByTime(STALE_MS)
    connection.wake()
    connection.wake()
    expect(calls.probes).toBe(1)
    net.last.say({ type: 'realm:list' })
    vi.advanceTimersByTime(PROBE_TIMEOUT_MS)
    expect(connection.status.value.state).toBe('open')
    vi.advanceTimersByTime(STALE_MS)
    connection.wake()
    vi.advanceTimersByTime(PROBE_TIMEOUT_MS)
    expect(connection.status.value.state).toBe('waiting')
  })

  it('asks a silent server while somebody looks, and waits for its next try if there is no socket', () => {
    const { net, calls, connection } = connect()
    net.last.accept()
    connection.welcomed()
    vi.advanceTimersByTime(STALE_MS - 1)
    connection.probe()
    expect(calls.probes).toBe(0)
    vi.advanceTimersByTime(1)
    connection.probe()
    expect(calls.probes).toBe(1)
    vi.advanceTimersByTime(PROBE_TIMEOUT_MS)
    expect(connection.status.value.state).toBe('waiting')
    connection.probe()
    expect(net.sockets).toHaveLength(1)
  })

  it.each([4500, 4501, 4503, 4504, 4505, 4999])('does not come back after %i', (code) => {
    const { net, connection } = connect()
    net.last.accept()
    net.last.end(code)
    expect(connection.status.value).toEqual({ state: 'stopped', code })
    vi.advanceTimersByTime(3_600_000)
    connection.wake()
    expect(net.sockets).toHaveLength(1)
    connection.retryNow() // a person pressed the button
    expect(net.sockets).toHaveLength(2)
  })

  it.each([1000, 1001, 1006, 1009, 1011, 4000, 4008, 4408, 4499])('comes back after %i', (code) => {
    expect(isFinal(code)).toBe(false)
    const { net } = connect()
    net.last.accept()
    net.last.end(code)
    vi.advanceTimersByTime(450)
    expect(net.sockets).toHaveLength(2)
  })

  it('does not hear a socket that it has given up', () => {
    const { net, calls, connection } = connect()
    const first = net.last
    const { onmessage, onclose } = first
    first.accept()
    connection.restart()
    onmessage?.({ data: 'late' })
    onclose?.({ code: 4501 })
    vi.advanceTimersByTime(450)
    expect(first.onmessage).toBeNull()
    expect(connection.status.value.state).not.toBe('stopped')
    expect(calls.lost).toBeGreaterThan(0)
  })

  it('a browser that refuses the socket is waited for too', () => {
    let tries = 0
    const connection = new Connection({
      open: () => {
        tries++
        throw new Error('no')
      },
      random: () => 0,
      onOpen: () => {},
      onMessage: () => {},
      onLost: () => {},
      probe: () => {},
    })
    connection.start()
    vi.advanceTimersByTime(450)
    expect(tries).toBe(2)
    expect(connection.send('x')).toBe(false)
  })

  it('sends nothing to a socket that the server closes', () => {
    const { net, connection } = connect(() => 0)
    net.last.accept()
    expect(connection.send('{"type":"a"}')).toBe(true)
    net.last.closing()
    expect(connection.send('{"type":"b"}')).toBe(false)
    expect(net.last.sent).toHaveLength(1)
  })

  it('spreads a crowd: the same loss, other moments', () => {
    const until = (random: () => number) => {
      const { net, connection } = connect(random)
      net.last.end()
      const s = connection.status.value
      return s.state === 'waiting' ? s.until - Date.now() : 0
    }
    expect(until(() => 0.1)).not.toBe(until(() => 0.9))
  })
})
