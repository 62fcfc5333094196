// The page offers the person who runs the server to install hooks, until the server has received a call from a hook of
// the agent.
import { describe, expect, it } from 'vitest'
import type { Agent, Session, World } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const session = (program: string, over: Partial<Session> = {}): Session => ({
  program,
  sessionId: 's1',
  agentId: `${program}:s1`,
  conversationId: 'private-c1',
  position: '',
  ...over,
})

/** hooks: what the server answers about the hooks of each program; null for no answer. */
async function game(
  sessions: Session[],
  me: object = {},
  storage = memoryStorage(KNOWN),
  hooks: string | null = 'none',
): Promise<Page> {
  const p = await openPage(storage)
  const agents = sessions.map((s): Agent => ({
    id: s.agentId,
    name: s.agentId,
    displayName: s.program,
    kind: 'agent',
    role: 'coder',
    color: '#5b9bd5',
    status: 'idle',
    x: 1,
    y: 1,
    realm: '',
    state: { state: 'working', source: 'status', since: AT },
  }))
  const w: World = { ...running(5), agents, sessions }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w), overlays(), { ...seated, ...me })
  await drawn()
  if (hooks === null) return p
  const programs = ['claude', 'codex', 'gemini'].map((program) => ({ program, sessions: 1, followed: 1, hooks }))
  p.net.last.say({ type: 'session:listed', sessions: [], programs })
  await drawn()
  return p
}

describe('the offer to install hooks', () => {
  it('names the agents and the command, and goes when a hook was heard', async () => {
    const p = await game([session('claude'), session('codex')])
    expect(find(p, 'hooks-offer').textContent).toContain('Claude Code and Codex from here')
    expect(find(p, 'hooks-offer').querySelector('code')?.textContent).toBe('agentdungeon hooks install')
    expect(find(p, 'hooks-offer').textContent).toContain('trust')
    p.net.last.say({ type: 'session:read', seq: 6, at: AT, session: session('codex', { hears: true }) })
    await drawn()
    expect(find(p, 'hooks-offer').textContent).toContain('message Claude Code from here')
    p.net.last.say({ type: 'session:read', seq: 7, at: AT, session: session('claude', { hears: true }) })
    await drawn()
    expect(has(p, 'hooks-offer')).toBe(false)
  })

  it('ends the command before the next sentence', async () => {
    const p = await game([session('codex')])
    expect(find(p, 'hooks-offer').textContent).toContain('agentdungeon hooks install. Codex asks you')
  })

  // After a restart of the server no hook has called yet, although the agents have their hooks.
  it('does not show while the hooks are in the settings, or before the server has said so', async () => {
    const p = await game([session('codex')], {}, undefined, 'installed')
    expect(p.net.last.ofType('session:list')).toHaveLength(1)
    expect(has(p, 'hooks-offer')).toBe(false)
    expect(has(await game([session('codex')], {}, undefined, null), 'hooks-offer')).toBe(false)
  })

  it('is for the owner, and for programs that have hooks', async () => {
    expect(has(await game([session('claude')], { guest: true }), 'hooks-offer')).toBe(false)
    expect(has(await game([session('gemini')]), 'hooks-offer')).toBe(false)
    expect(has(await game([]), 'hooks-offer')).toBe(false)
  })

  it('stays away once a person has hidden it', async () => {
    const storage = memoryStorage(KNOWN)
    const p = await game([session('claude')], {}, storage)
    find(p, 'hooks-offer').querySelector<HTMLElement>('[aria-label^="Do not show"]')!.click()
    await drawn()
    expect(has(p, 'hooks-offer')).toBe(false)
    expect(has(await game([session('claude')], {}, storage), 'hooks-offer')).toBe(false)
  })
})
