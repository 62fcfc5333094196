// What coding agents cost: a line at each agent, and the ledger. Only hosts see them.
import { describe, expect, it } from 'vitest'
import type { Agent, AgentUsage, ConversationView, Session, World } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { cost, tokens } from '../words-ledger'

const used = (over: Partial<AgentUsage>): AgentUsage => ({
  agentId: 'claude:s1',
  conversationId: 'private-c9',
  name: 'Claude Code',
  model: 'claude-opus-5-5',
  day: '2026-11-24',
  input: 1_000,
  output: 500,
  cacheRead: 120_000,
  cacheWrite: 2_500,
  cacheLong: 0,
  ...over,
})

const hero: Agent = {
  ...running(5).agents[0]!,
  id: 'claude:s1',
  name: 'Claude Code',
  displayName: 'Claude Code',
  role: 'coder',
  state: { state: 'working', source: 'status', since: AT },
}

const session: Session = {
  program: 'claude',
  sessionId: 's1',
  agentId: 'claude:s1',
  conversationId: 'private-c9',
  position: '',
  stated: 410_000,
}

async function game(usage: AgentUsage[] | undefined, views: ConversationView[] = []): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  const w: World = { ...running(5), sessions: [session], ...(usage ? { usage } : {}) }
  w.agents = [...w.agents, hero]
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, views), overlays(), seated)
  await drawn()
  return p
}

describe('what agents cost', () => {
  it('is not there before one has used something, and for those who do not get it (P17.12)', async () => {
    const p = await game(undefined)
    expect(has(p, 'ledger-open')).toBe(false)
    expect(has(p, 'agent-cost')).toBe(false)
  })

  it('stands at the agent with its sub-agents and its context, and in the ledger (P17.12)', async () => {
    const p = await game([
      used({ micros: 300_000, context: 124_000, window: 200_000 }),
      used({ agentId: 'claude:s2', parent: 'claude:s1', name: 'Explore', micros: 110_000 }),
      used({ agentId: 'codex:t1', name: 'Codex', model: 'new-model', day: '2026-11-23', unpriced: 124_000 }),
    ])
    expect(find(p, 'agent-cost').textContent).toBe('$0.41 ·\u00a0248k tokens ·\u00a0context 124k of 200k')
    const open = find(p, 'ledger-open')
    expect(open.textContent).toBe('Costs: $0.41 + unknown')
    open.click()
    await drawn()
    const row = (id: string) => find(p, `ledger-${id}`).textContent
    expect(row('claude:s1')).toBe(
      'Claude Codeclaude-opus-5-5 ·\u00a02026-11-24 ·\u00a0with 1 sub-agent ·\u00a0' +
        'confirmed by Claude Code248k240k$0.41',
    )
    expect(row('claude:s2')).toBe('Exploreclaude-opus-5-5 ·\u00a02026-11-24124k120k$0.11')
    expect(row('codex:t1')).toBe('Codexnew-model ·\u00a02026-11-23124k120kprice unknown')
    const all = find(p, 'ledger').textContent
    expect(all).toContain('The price of 124k tokens is unknown.')
    expect(all).toContain('claude-opus-5-5248k240k$0.41')
    expect(all).toContain('2026-11-24248k240k$0.41')
    p.net.last.say({ type: 'usage:changed', seq: 6, at: AT, ...used({ micros: 400_000 }) })
    await drawn()
    expect(row('claude:s1')).toContain('Claude Code counts $0.41')
    expect(row('claude:s1')).toContain('$0.51')
  })

  it('tells sessions of one program apart by title and time, and opens each', async () => {
    const team = {
      id: 'codex',
      name: 'Codex',
      members: [{ ...hero, name: 'Codex', displayName: 'Codex', type: 'agent' as const, order: 0 }],
    }
    const codex = (id: string, over: Partial<ConversationView>) =>
      view({ conversationId: `private-${id}`, kind: 'coding', team, ...over })
    const of = (id: string, day: string) =>
      used({ agentId: `codex:${id}`, conversationId: `private-${id}`, name: 'Codex', day })
    const today = (time: string) => new Date(`2026-01-02T${time}:00`).toISOString()
    const p = await game(
      [of('t1', today('12:54').slice(0, 10)), of('t2', '2026-01-01'), of('t3', '2026-01-01')],
      [
        codex('t1', {
          title: 'Write the tests',
          // The server has found it later than its first prompt.
          createdAt: today('13:00'),
          messages: [message('a', { at: today('12:54') }), message('b', { at: today('13:10') })],
        }),
        codex('t2', { title: 'Mend the parser', hasMore: true, createdAt: '2026-01-02T03:00:00.000Z' }),
      ],
    )
    find(p, 'ledger-open').click()
    await drawn()
    const row = (id: string) => find(p, `ledger-codex:${id}`).querySelector('th')!
    expect(row('t1').textContent).toBe('Write the testsCodex ·\u00a0claude-opus-5-5 ·\u00a0Jan 2, 2026, 12:54 to 13:10')
    // It was found on a day after it ran: the time of that would be wrong.
    expect(row('t2').textContent).toBe('Mend the parserCodex ·\u00a0claude-opus-5-5 ·\u00a02026-01-01')
    expect(row('t3').textContent).toBe('Codexclaude-opus-5-5 ·\u00a02026-01-01')
    row('t1').querySelector('button')!.click()
    await drawn()
    expect(has(p, 'ledger')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('private-t1')
  })

  it('offers nothing to open where a session was erased', async () => {
    const p = await game([used({})])
    find(p, 'ledger-open').click()
    await drawn()
    const buttons = () => find(p, 'ledger-claude:s1').querySelectorAll('button').length
    expect(buttons()).toBe(1)
    p.net.last.say({
      type: 'history:erased',
      seq: 6,
      at: AT,
      reason: 'person',
      conversations: ['private-c9'],
      findings: [],
      quests: [],
      artifacts: [],
      forts: [],
    })
    await drawn()
    expect(buttons()).toBe(0)
  })

  it('says what it does not know instead of nothing', () => {
    // P17.12: tokens of a model without a known price are never shown as costing nothing.
    const of = (micros: number, unpriced: number) => cost({ tokens: 100, cached: 0, output: 0, micros, unpriced })
    expect(of(0, 100)).toBe('price unknown')
    expect(of(0, 0)).toBe('$0.00')
    expect(of(1, 0)).toBe('less than $0.01')
    expect(of(12_340_000, 0)).toBe('$12.34')
    expect([950, 12_345, 1_234_567].map(tokens)).toEqual(['950', '12.3k', '1.23M'])
  })
})
