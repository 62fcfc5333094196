import { describe, expect, it } from 'vitest'
import type { AgentUsage, Session, UsageChanged } from '../net/protocol.gen'
import { accounts, changeUsage, contextOf, spentOf } from './usage'
import { emptyWorld } from './world'

const row = (over: Partial<AgentUsage>): AgentUsage => ({
  agentId: 'claude:a',
  conversationId: 'private-1',
  model: 'm',
  day: '2026-11-24',
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheLong: 0,
  ...over,
})

const session = (agentId: string, over: Partial<Session> = {}): Session => ({
  program: 'claude',
  sessionId: agentId,
  agentId,
  conversationId: 'private-1',
  position: '',
  ...over,
})

describe('the ledger', () => {
  it('has a bound, and adds up the oldest days of agents that are not here (P17.12)', () => {
    // The same rows as in shared/world/usage_test.go.
    let w = { ...emptyWorld(), agents: [{ id: 'codex:0' } as never] }
    let tokens = 0
    for (let i = 0; i < 2_200; i++) {
      tokens += i
      const day = `2001-01-0${String(1 + (i % 5))}`
      const ev = {
        ...row({ agentId: `codex:${String(i)}`, model: `x${String(i % 75)}`, day, input: i }),
        type: 'usage:changed',
        seq: i + 1,
        at: '',
      }
      w = changeUsage(w, {
        ...ev,
        ...(i % 3 ? { micros: i % 3 } : {}),
        ...(i % 2 ? { unpriced: i % 2 } : {}),
      } as UsageChanged) as typeof w
    }
    const rows = w.usage ?? []
    expect(rows.length).toBe(2_000)
    expect(rows.filter((u) => u.agentId === '').length).toBe(15)
    expect(rows.filter((u) => u.day === '2001-01-01').length).toBe(225)
    expect(rows.some((u) => u.agentId === 'codex:0')).toBe(true)
    expect(spentOf(rows)).toMatchObject({ tokens, micros: 2_199, unpriced: 1_100 })
  })

  it('shares the row without a model where there are too many models (P17.12)', () => {
    let w = emptyWorld()
    for (let i = 0; i < 2_100; i++) {
      w = changeUsage(w, {
        ...row({ agentId: 'b', model: `z${String(i)}`, input: 1 }),
        type: 'usage:changed',
        seq: i + 1,
        at: '',
      })
    }
    const rows = w.usage ?? []
    expect(rows.filter((u) => u.agentId === '').length).toBeLessThanOrEqual(51)
    expect(rows.some((u) => u.agentId === '' && u.model === '')).toBe(true)
    expect(spentOf(rows).tokens).toBe(2_100)
  })

  it('shows sub-agents below their parent, also a parent that has used nothing, and sums them (P17.12)', () => {
    const rows = [
      row({ agentId: 'claude:b', parent: 'claude:a', name: 'Explore', micros: 500, input: 5 }),
      row({ agentId: 'claude:c', parent: 'claude:b', micros: 300, input: 3 }),
      row({ agentId: 'codex:x', name: 'Codex', micros: 900, unpriced: 4, input: 9 }),
      row({ agentId: '', conversationId: '', day: '', micros: 1, input: 1 }),
    ]
    const [first, second, ...more] = accounts(rows, [])
    expect(more).toEqual([])
    expect(first?.agentId).toBe('codex:x')
    expect(second).toMatchObject({ agentId: 'claude:a', rows: [], spent: { tokens: 8, micros: 800 } })
    expect(second?.subs.map((s) => [s.name, s.spent.micros])).toEqual([['Explore', 800]])
    expect(second?.subs[0]?.subs.map((s) => s.agentId)).toEqual(['claude:c'])
  })

  it('is not caught by agents that name each other as parents', () => {
    const rows = [
      row({ agentId: 'a', parent: 'b' }),
      row({ agentId: 'b', parent: 'a' }),
      row({ agentId: 'c', parent: 'c' }),
    ]
    expect(accounts(rows, []).length).toBeLessThanOrEqual(3)
  })

  it('is confirmed by what the program has counted, to the cent (P17.12)', () => {
    const rows = [row({ micros: 300_000 }), row({ agentId: 'claude:b', parent: 'claude:a', micros: 9_260 })]
    const check = (stated: number) => accounts(rows, [session('claude:a', { stated })])[0]?.check
    expect(check(309_280)).toBe('same')
    expect(check(319_280)).toBe('other')
    expect(accounts(rows, [session('claude:a')])[0]?.check).toBe('none')
    expect(
      accounts([row({ micros: 300_000, unpriced: 1 })], [session('claude:a', { stated: 300_000 })])[0]?.check,
    ).toBe('other')
  })

  it('knows the context after the newest request', () => {
    const rows = [
      row({ context: 10, window: 200 }),
      row({ day: '2026-11-25', context: 20, window: 200 }),
      row({ model: 'n' }),
    ]
    expect(contextOf(rows, 'claude:a')).toEqual({ used: 20, size: 200 })
    expect(contextOf(rows, 'codex:x')).toEqual({ used: 0, size: 0 })
  })
})
