// The map as a list, in a whole page over a fake network: moving between rooms, outdated rooms, changes on disk,
// positions of heroes.
import { h, render } from 'preact'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent, MapChange } from '../net/protocol.gen'
import { AppContext } from '../panels/context'
import { drawn, find, has, KNOWN, openPage, greet, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { Card } from './card'

const HERO = {
  id: 'ideator',
  name: 'Ideator',
  displayName: 'Ideator',
  kind: 'agent' as const,
  role: 'ideator',
  color: '#4fb8a3',
  status: 'idle' as const,
  x: 0,
  y: 0,
  realm: '',
}
const door = (path: string, back = false) => ({
  id: `d${path}${back}`,
  path,
  name: path.split('/').pop() ?? '',
  x: 1,
  y: 0,
  files: 1,
  ...(back ? { back } : {}),
})
const file = (path: string, over = {}) => ({
  id: `f${path}`,
  kind: 'file',
  name: path.split('/').pop() ?? '',
  path,
  x: 1,
  y: 1,
  ...over,
})
const room = (path: string, over: Partial<MapChange['room']> = {}): MapChange => ({
  type: 'map:change',
  path,
  page: 0,
  pages: 1,
  room: { path, generation: 1, width: 5, height: 5, objects: [], doors: [], parts: [], walls: [], gone: [], ...over },
})

describe('the map as a list', () => {
  let p: Page
  const world = (over = {}) => {
    const w = running(5)
    const hero = {
      ...HERO,
      status: 'running' as const,
      activity: 'reading',
      x: 2,
      y: 2,
      realm: 'src',
      inside: true,
    }
    const walk = {
      path: [],
      room: [[2, 2] as [number, number]],
      startsAt: AT,
      msPerTile: 1,
      arrivesAt: AT,
      target: 'src/main.go',
    }
    const fort = {
      agentId: 'ideator',
      name: 'Ideator',
      color: '#4fb8a3',
      biome: 'hills' as const,
      stage: 3,
      x: 60,
      y: 24,
      gateX: 60,
      gateY: 27,
    }
    return {
      ...w,
      realm: { ...w.realm, path: '/tools' },
      map: { ...w.map, generation: 1, source: 'git' },
      agents: [{ ...hero, walk }],
      forts: [fort],
      ...over,
    }
  }

  beforeEach(async () => {
    const browser = memoryStorage()
    for (const [key, value] of Object.entries(KNOWN)) browser.setItem(key, value)
    p = await openPage(browser)
    greet(p.net.last, info())
    p.net.last.say([seated, welcomeSnapshot(5), snapshot(5, world()), overlays()])
    await drawn()
  })

  const answer = async (path: string, over = {}) => {
    const asked = p.net.last.ofType('map:room').filter((f) => f.path === path)
    p.net.last.say({ ...room(path, over), requestId: asked.at(-1)?.requestId })
    await drawn()
  }

  it('walks into rooms, and back the way the server remembers (P10.4)', async () => {
    await answer('', { doors: [door('src')] })
    ;[...p.root.querySelectorAll<HTMLElement>('.door')].find((d) => d.textContent?.includes('src'))?.click()
    await drawn()
    expect(p.net.last.ofType('player:navigate-enter')).toMatchObject([{ path: 'src' }])
    expect((find(p, 'map-back') as HTMLButtonElement).disabled).toBe(true)
    p.net.last.say({ type: 'navigation:changed', seq: 6, at: AT, spectatorId: 'p1', path: 'src', stack: [''] })
    await answer('src', { doors: [door('', true)], objects: [file('src/main.go')] })
    expect(find(p, 'room').dataset['path']).toBe('src')
    find(p, 'map-back').click()
    await drawn()
    expect(p.net.last.ofType('player:navigate-back')).toHaveLength(1)
    p.net.last.say({ type: 'navigation:changed', seq: 7, at: AT, spectatorId: 'p1', path: '', stack: [] })
    await drawn()
    expect(find(p, 'room').dataset['path']).toBe('')
  })

  it('turns to the page of the file that a finding leads to', async () => {
    const finding = {
      id: 'f1',
      agentId: 'ideator',
      severity: 'high',
      title: 'A leak',
      text: '',
      path: 'src/z.go',
      at: AT,
    }
    const src = { name: 'src', path: 'src', files: 3, folders: 0, children: [] }
    const mapTree = { name: '', path: '', files: 3, folders: 1, children: [src] }
    const changed = {
      type: 'map:changed',
      generation: 2,
      folders: [],
      changes: [],
      map: { ...world().map, generation: 2, files: 3, folders: 1 },
      mapTree,
    }
    p.net.last.say([changed, { type: 'findings:posted', seq: 6, at: AT, finding }])
    await answer('', { generation: 2, doors: [door('src')] })
    find(p, 'tab-findings').click()
    await drawn()
    find(p, 'finding-go').click()
    await drawn()
    const page = async (n: number, ...files: string[]) => {
      const asked = p.net.last.ofType('map:room').filter((f) => f.path === 'src' && (f.page ?? 0) === n)
      expect(asked).toHaveLength(1)
      const at = { ...room('src', { generation: 2, objects: files.map((f) => file(f)) }), page: n, pages: 3 }
      p.net.last.say({ ...at, requestId: asked[0]?.requestId })
      await drawn()
    }
    await page(0, 'src/a.go')
    await page(1, 'src/z.go')
    expect(find(p, 'room').textContent).toContain('z.go')
    expect(find(p, 'room').textContent).toContain('Page 2 of 3')
    expect(p.net.last.ofType('map:room').some((f) => f.page === 2)).toBe(false)
  })

  it('asks once more for a room that has changed, and shows the old one meanwhile', async () => {
    await answer('', { objects: [file('a.txt')] })
    p.net.last.say({
      type: 'map:changed',
      generation: 2,
      folders: [''],
      changes: [{ path: 'b.txt', what: 'created', at: AT }],
      map: { ...world().map, generation: 2 },
    })
    await drawn()
    expect(p.net.last.ofType('map:room').filter((f) => f.path === '')).toHaveLength(2)
    expect(find(p, 'room').textContent).toContain('a.txt')
    expect(find(p, 'map-happening').textContent).toBe('b.txt created')
    await answer('', { objects: [file('a.txt'), file('b.txt', { committed: false, what: 'created', changed: AT })] })
    expect(find(p, 'room').textContent).toContain('b.txt')
    expect(p.root.querySelector('[aria-label="not committed"]')).not.toBeNull()
    await drawn()
    expect(p.net.last.ofType('map:room').filter((f) => f.path === '')).toHaveLength(2)
  })

  it('says a commit as one line', async () => {
    await answer('')
    p.net.last.say({
      type: 'map:changed',
      generation: 2,
      folders: [],
      all: true,
      moment: 'commit',
      text: 'a lamp',
      changes: [],
      map: { ...world().map, generation: 2 },
    })
    await drawn()
    expect(find(p, 'map-happening').textContent).toBe('Committed: a lamp')
  })

  it('says where the heroes are and what their camps have come to', async () => {
    await answer('')
    const text = find(p, 'whereabouts').textContent ?? ''
    for (const part of ['Ideator', 'in src', 'reads src/main.go', 'A hut']) expect(text).toContain(part)
    expect(has(p, 'drawn-map')).toBe(false) // the test environment has no canvas
  })

  it('marks the files at which agents are in each other’s way, and says who touched a file', async () => {
    const touch = (over: object) => ({
      path: 'src/a.go',
      agentId: 'codex:b',
      conversationId: 'private-c1',
      name: 'Codex',
      since: AT,
      last: AT,
      edited: null,
      ...over,
    })
    p.net.last.say({
      type: 'file:touched',
      seq: 6,
      at: AT,
      touches: [
        touch({ edits: 2, edited: AT, worktree: 'feature' }),
        touch({ agentId: 'claude:a', name: 'Claude Code', reads: 3, edits: 1, edited: AT }),
      ],
    })
    p.net.last.say({
      type: 'collision:found',
      seq: 7,
      at: AT,
      path: 'src/a.go',
      agentIds: ['claude:a', 'codex:b'],
      why: 'edits',
      since: AT,
    })
    const mark = '[aria-label="Agents are in each other’s way at a file here"]'
    await answer('', { doors: [door('src'), door('docs')] })
    expect(find(p, 'room').querySelectorAll(mark)).toHaveLength(1)
    find(p, 'room').querySelector<HTMLElement>('.door')!.click()
    await answer('src', { objects: [file('src/a.go'), file('src/b.go')], doors: [door('', true)] })
    expect(find(p, 'room').querySelectorAll('.thing-touches')).toHaveLength(1)
    expect(find(p, 'room').querySelector('.thing-touches summary')?.textContent).toBe(' 2 agents')
    const runs = [...find(p, 'file-timeline').querySelectorAll('li')].map((li) => li.textContent)
    expect(runs[0]).toMatch(/^Claude Code edited once, read 3 times .* ago$/)
    expect(runs[1]).toMatch(/^Codex edited twice in worktree feature .* ago$/)
  })
})

describe('a hero’s card', () => {
  async function open() {
    const cast = [{ roleId: 'ideator', memberId: 'ideator', kind: 'agent' as const }]
    const page = await openPage(memoryStorage(KNOWN))
    greet(page.net.last, info(), welcomeSnapshot(5), snapshot(5, running(5, { cast }), [view()]), overlays(), seated)
    await drawn()
    const root = document.body.appendChild(document.createElement('div'))
    const closed = vi.fn()
    const show = async (...agents: Agent[]) => {
      const realm = page.app.model.realm!
      const card = h(Card, {
        realm: { ...realm, world: { ...realm.world, agents } },
        room: undefined,
        subject: { kind: 'hero', id: 'ideator' },
        onClose: closed,
        onFollow: () => {},
        onGo: () => {},
      })
      render(h(AppContext.Provider, { value: page.app }, card), root)
      await drawn()
    }
    return { page, root, closed, show }
  }

  it('offers to talk, to assign a task and to start a conversation (S0-B21)', async () => {
    const { page, root, show } = await open()
    await show(HERO)
    expect(root.querySelector('[data-testid=card-progress]')?.textContent).toMatch(/\d of \d turns? of this stage/)
    expect(root.querySelector('.facts')?.textContent).toContain('idle')
    const press = (id: string) => root.querySelector<HTMLElement>(`[data-testid=${id}]`)?.click()
    press('hero-talk')
    expect(page.net.last.ofType('conversation.start')).toMatchObject([{ kind: 'chat', memberIds: ['ideator'] }])
    press('hero-task')
    expect(page.app.conversations.starting.value).toEqual({ kind: 'task', memberIds: ['ideator'] })
    press('hero-council')
    expect(page.app.conversations.starting.value).toEqual({ kind: 'council', memberIds: ['ideator'] })
  })

  it('closes when the hero leaves, so that nothing covers the map for nothing', async () => {
    const { closed, show } = await open()
    await show(HERO)
    expect(closed).not.toHaveBeenCalled()
    await show()
    expect(closed).toHaveBeenCalledOnce()
  })
})
