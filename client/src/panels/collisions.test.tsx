// Files at which coding agents are in each other's way: everybody is warned.
import { describe, expect, it } from 'vitest'
import type { Agent, AgentState, Collision, FileTouch, World } from '../net/protocol.gen'
import { drawn, find, greet, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const agent = (id: string, displayName: string): Agent => ({
  ...running(5).agents[0]!,
  id,
  name: displayName,
  displayName,
})

const clash = (path: string, over: Partial<Collision> = {}): Collision => ({
  path,
  agentIds: ['claude:a', 'codex:b'],
  why: 'edits',
  since: AT,
  ...over,
})

async function game(
  collisions: Collision[],
  role: 'host' | 'spectator' = 'host',
  state?: AgentState,
  touches: FileTouch[] = [],
): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  const agents = [agent('claude:a', 'Claude Code'), agent('codex:b', 'Codex')].map((a) => (state ? { ...a, state } : a))
  const w: World = { ...running(5), agents, collisions, touches }
  greet(p.net.last, info({ role }), welcomeSnapshot(5), snapshot(5, w), overlays(), { ...seated, role })
  await drawn()
  return p
}

const lines = (p: Page) => [...find(p, 'collisions').querySelectorAll('.collision-words')].map((li) => li.textContent)

describe('files at which agents are in each other’s way', () => {
  it('are told: who, which file, and what happened', async () => {
    const p = await game([
      clash('read.go', { why: 'reads', agentIds: ['codex:b', 'claude:a'] }),
      clash('src/a.go'),
      clash('b.go'),
    ])
    expect(lines(p)).toEqual(['Claude Code and Codex edit the same file: src/a.go'])
    expect(find(p, 'collisions-more').textContent).toBe('2 more')
    find(p, 'collisions-more').click()
    await drawn()
    expect(lines(p)[2]).toBe('Codex edited a file that Claude Code had read before: read.go')
  })

  it('name the worktree of who works in another one', async () => {
    const touch = { path: 'src/a.go', conversationId: 'c9', name: '', edits: 1, since: AT, last: AT, edited: AT }
    const p = await game([clash('src/a.go')], 'host', undefined, [
      { ...touch, agentId: 'claude:a', worktree: 'feature' },
      { ...touch, agentId: 'codex:b' },
      { ...touch, agentId: 'codex:b', path: 'b.go', worktree: 'other' },
    ])
    expect(lines(p)).toEqual(['Claude Code (in worktree feature) and Codex edit the same file: src/a.go'])
  })

  it('lead to the file with what changed in it, and who may not read files to its place on the map', async () => {
    const shown = async (role: 'host' | 'spectator') => {
      const p = await game([clash('src/a.go')], role)
      find(p, 'collisions').querySelector<HTMLElement>('li > .link')!.click()
      await drawn()
      return p.app.places.at.value
    }
    expect(await shown('host')).toMatchObject({ kind: 'file', path: 'src/a.go', changes: true })
    expect((await shown('spectator'))?.kind).not.toBe('file')
  })

  it('are told in the past once none of the agents is at work', async () => {
    const state = (s: string) =>
      ({ state: s, source: 'hook', since: AT, path: '', reason: '' }) as unknown as AgentState
    const said = async (s: string) => lines(await game([clash('b.go')], 'host', state(s)))
    expect(await said('working')).toEqual(['Claude Code and Codex edit the same file: b.go'])
    expect(await said('idle')).toEqual(['Claude Code and Codex have edited the same file: b.go'])
  })

  it('appear and vanish as the server tells, and stay hidden once they are hidden', async () => {
    const p = await game([])
    expect(find(p, 'collisions').getAttribute('role')).toBe('status')
    p.net.last.say({ type: 'collision:found', seq: 6, at: AT, ...clash('src/a.go') })
    await drawn()
    expect(lines(p)).toHaveLength(1)
    find(p, 'collisions').querySelector<HTMLElement>('[aria-label="Hide this warning"]')!.click()
    await drawn()
    expect(lines(p)).toHaveLength(0)
    p.net.last.say({
      type: 'collision:found',
      seq: 7,
      at: AT,
      ...clash('src/a.go', { agentIds: ['claude:a', 'claude:c', 'codex:b'] }),
    })
    await drawn()
    expect(lines(p)).toHaveLength(1)
    p.net.last.say({ type: 'collision:cleared', seq: 8, at: AT, path: 'src/a.go' })
    await drawn()
    expect(lines(p)).toHaveLength(0)
  })
})
