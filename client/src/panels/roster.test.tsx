// The coding agents in the roster: sub-agents stand below their parent, and those whose work is over are folded.
import { describe, expect, it } from 'vitest'
import type { Agent, AgentState, ConversationView, Message, Session } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const working: AgentState = { state: 'working', source: 'status', since: AT }

const hero = (id: string, state: Partial<AgentState>): Agent => ({
  ...running(5).agents[0]!,
  id,
  name: id,
  displayName: id,
  role: 'coder',
  state: { ...working, ...state },
})

const session = (agentId: string, parent = ''): Session => ({
  program: 'codex',
  sessionId: agentId,
  agentId,
  conversationId: `private-${agentId}`,
  position: '',
  ...(parent ? { parent } : {}),
})

async function game(agents: Agent[], sessions: Session[], process = {}, views: ConversationView[] = []): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  greet(
    p.net.last,
    info(),
    welcomeSnapshot(5),
    snapshot(5, { ...running(5, process), agents, sessions }, views),
    overlays(),
    seated,
  )
  await drawn()
  return p
}

/** The rows in their order, each with its depth among the lists of the roster. */
function rows(p: Page): [string, number][] {
  return [...find(p, 'roster').querySelectorAll<HTMLElement>('[data-testid^="other-"]')].map((e) => {
    let depth = 0
    for (let up = e.parentElement; up && up !== find(p, 'roster'); up = up.parentElement)
      if (up.tagName === 'UL' && up.parentElement?.tagName === 'LI') depth++
    return [e.dataset['testid']!.replace('other-', ''), depth]
  })
}

describe('a sub-agent in the roster', () => {
  it('stands in a list of its own right below its parent, whatever joined in between', async () => {
    const agents = ['a', 'b', 'b1', 'a1', 'a11', 'a2'].map((id) => hero(id, {}))
    const p = await game(agents, [
      session('a'),
      session('b'),
      session('b1', 'b'),
      session('a1', 'a'),
      session('a11', 'a1'),
      session('a2', 'a'),
    ])
    expect(rows(p)).toEqual([
      ['a', 0],
      ['a1', 1],
      ['a11', 2],
      ['a2', 1],
      ['b', 0],
      ['b1', 1],
    ])
    expect(find(p, 'other-b1').closest('ul')?.getAttribute('aria-label')).toBe('Sub-agents of b')
  })

  it('that waits for a person brings its parent to the top', async () => {
    const p = await game(
      [hero('a', {}), hero('b', {}), hero('b1', { state: 'waiting', wait: 'permission' })],
      [session('a'), session('b'), session('b1', 'b')],
    )
    expect(rows(p).map(([id]) => id)).toEqual(['b', 'b1', 'a'])
  })

  it('stands below the next agent above that is here, else by itself', async () => {
    const p = await game(
      [hero('a', {}), hero('a11', {}), hero('x1', {})],
      [session('a'), session('a1', 'a'), session('a11', 'a1'), session('x1', 'x')],
    )
    expect(rows(p)).toEqual([
      ['a', 0],
      ['a11', 1],
      ['x1', 0],
    ])
  })
})

describe('agents whose work is over', () => {
  const list = [hero('a', {}), hero('a1', { state: 'idle' }), hero('a2', {}), hero('b', { state: 'lost' })]
  const sessions = [session('a'), session('a1', 'a'), session('a2', 'a'), session('b')]
  const folds = (p: Page) =>
    [...p.root.querySelectorAll<HTMLDetailsElement>('[data-testid="agents-over"]')].map((d) => [
      d.open,
      d.querySelector('summary')?.textContent,
      d.querySelector<HTMLElement>('[data-testid^="other-"]')?.dataset['testid'],
    ])

  it('are folded into one line, sub-agents below their parent', async () => {
    const p = await game(list, sessions)
    expect(folds(p)).toEqual([
      [false, '1 done', 'other-a1'],
      [false, '1 disconnected', 'other-b'],
    ])
    p.net.last.say([{ type: 'agent:state', seq: 6, at: AT, agentId: 'a1', conversationId: 'c', ...working }])
    await drawn()
    expect(folds(p).map(([, text]) => text)).toEqual(['1 disconnected'])
  })

  it('stay in view while a sub-agent of theirs works, and while a person can go on with them', async () => {
    const p = await game(
      [hero('a', { state: 'lost' }), hero('a1', {}), hero('b', { state: 'waiting', wait: 'turn' })],
      [session('a'), session('a1', 'a'), session('b')],
    )
    expect(has(p, 'agents-over')).toBe(false)
  })

  it('have the roles of a process that is over folded below them while they work', async () => {
    const p = await game(list, sessions, { status: 'completed' })
    expect(find(p, 'seats-over').querySelector('summary')?.textContent).toBe('2 roles of a process that is over')
    expect(find(p, 'seats-over').contains(find(p, 'seat-critic'))).toBe(true)
    expect(has(await game(list, sessions), 'seats-over')).toBe(false)
  })
})

describe('how long an agent works', () => {
  const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const call = (id: string, minutes: number, status: 'open' | 'done') =>
    message(id, {
      role: 'tool',
      status,
      content: '',
      at: before(minutes),
      tool: { name: 'Bash', input: '{}', callId: id },
    })
  const age = async (over: Partial<AgentState>, ...messages: Message[]) => {
    const p = await game([hero('a', { since: before(65), ...over })], [session('a')], {}, [
      view({ conversationId: 'private-a', kind: 'coding', messages }),
    ])
    return find(p, 'other-a').querySelector('.agent-age')?.textContent
  }

  it('is the age of the call that runs, not that of a turn that began long before', async () => {
    const prompt = message('p', { role: 'user' })
    const rows = [
      call('left over', 50, 'open'),
      prompt,
      call('a', 30, 'done'),
      call('b', 5.5, 'open'),
      call('c', 4, 'open'),
    ]
    expect(await age({ reason: 'Bash: make' }, ...rows)).toContain('for 5 min')
    expect(await age({ reason: 'Bash: make' }, prompt, call('a', 30, 'done'))).toContain('for 1 h')
    expect(await age({ state: 'waiting', wait: 'permission', reason: 'Bash: make' }, ...rows)).toContain('for 1 h')
  })
})

it('a holder reads in which stage their turn comes; on a phone an open role says what it does', async () => {
  const p = await openPage(memoryStorage(KNOWN), undefined, 'phone')
  const t = running(5).processState.template!
  const persona = 'You doubt every idea.'
  const roles = t.roles.map((r) => (r.id === 'ideator' ? { ...r, persona } : r))
  const one = { ...t.stages[0]!, id: 'one', name: 'Ideation', roles: ['ideator'], structure: 'sequential' as const }
  const stages = [one, { ...one, id: 'two', name: 'Critique', roles: ['critic'] }]
  const cast = [
    { roleId: 'ideator', memberId: 'ideator', kind: 'open' as const },
    { roleId: 'critic', memberId: 'critic', kind: 'human' as const, spectatorId: 'p1', name: 'Ann' },
  ]
  const w = running(5, { template: { ...t, roles, stages }, currentStageIndex: 0, cast })
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, [view()]), overlays(), seated)
  await drawn()
  find(p, 'tab-roster').click()
  await drawn()
  expect(find(p, 'seat-critic').textContent).toContain('your turn comes in stage 2, Critique')
  expect(find(p, 'seat-ideator').textContent).toContain(persona)
})
