// The second scene on the page: what it says, where it leads, and that it stays closed.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Agent } from '../../net/protocol.gen'
import { AppContext } from '../../panels/context'
import { drawn, find, greet, has, KNOWN, openPage, press } from '../../testing/page'
import { info, overlays, running, seated, snapshot, welcomeSnapshot } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import type { Projection, Stage } from '../canvas/stage'
import { SecondScene } from './second-scene'

const held: Agent = {
  id: 'claude:1',
  name: 'Claude',
  displayName: 'Claude',
  kind: 'agent',
  role: '',
  color: '#4fb8a3',
  status: 'running',
  x: 1,
  y: 1,
  realm: '',
  state: { state: 'waiting', wait: 'permission', source: 'hook', since: null },
}

/** Ends what a test has shown, because its timer would go on in the tests after it. */
let end = (): void => undefined
afterEach(() => end())

/** A map of the given size on which the agent waits out of view. */
async function shown(width: number, height: number) {
  const p = await openPage(memoryStorage(KNOWN))
  const w = running(5)
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, { ...w, agents: [held] }), overlays(), seated)
  await drawn()
  const stop = vi.fn()
  const glimpse = vi.fn(() => stop)
  const at = { room: null, page: 0, file: '', walking: false, speaks: false, inView: false }
  const heroes = [{ id: held.id, name: 'Claude', ...at }]
  const stage = {
    standing: heroes,
    watch: (f: (p: Projection) => void) => {
      f({ at: '', project: (x, y) => ({ x, y }), zoom: 1, width, height, controls: [] })
      return () => undefined
    },
    glimpse,
  } as unknown as Stage
  const root = document.createElement('div')
  const box = document.createElement('div')
  document.body.append(root, box)
  const scene = (
    <AppContext.Provider value={p.app}>
      <SecondScene realm={p.app.model.realm!} stage={stage} shot={null} box={{ current: box }} />
    </AppContext.Provider>
  )
  const draw = () => act(() => render(scene, root))
  void draw()
  end = () => void act(() => render(null, root))
  return { p, page: { ...p, root }, heroes, box, glimpse, stop, draw }
}

describe('the second scene on the page', () => {
  it('is a picture on a large map and says what it is', async () => {
    const { page, glimpse } = await shown(800, 600)
    expect(find(page, 'second').dataset['size']).toBe('picture')
    expect(find(page, 'second-show').textContent).toBe('Claude waits for an answer')
    expect(find(page, 'second-show').getAttribute('aria-label')).toContain('Claude waits for an answer')
    expect(glimpse).toHaveBeenCalledWith(page.root.querySelector('canvas'), held.id)
  })

  it('is a line on a small map', async () => {
    const { page, glimpse } = await shown(390, 300)
    expect(find(page, 'second').dataset['size']).toBe('line')
    expect(find(page, 'second-show').textContent).toBe('Claude waits for an answer')
    expect(page.root.querySelector('canvas')).toBeNull()
    expect(glimpse).not.toHaveBeenCalled()
  })

  it('leads to its scene by a click and by a key on the map', async () => {
    const { p, page, box } = await shown(800, 600)
    p.app.watching.take()
    void act(() => find(page, 'second-show').click())
    expect([p.app.watching.hero.value, p.app.watching.directed.value]).toEqual([held.id, true])
    p.app.watching.take()
    press(box, 'p', { ctrlKey: true })
    expect(p.app.watching.hero.value).toBeNull()
    press(box, 'p')
    expect(p.app.watching.hero.value).toBe(held.id)
  })

  it('stays as it is while the server is away', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const { p, page, heroes } = await shown(800, 600)
    void act(() => p.net.last.end())
    heroes.length = 0
    void act(() => void vi.advanceTimersByTime(60_000))
    expect(find(page, 'second-show').textContent).toBe('Claude waits for an answer')
    vi.useRealTimers()
  })

  it('is closed for good and draws nothing more', async () => {
    const { p, page, stop } = await shown(800, 600)
    void act(() => find(page, 'second-close').click())
    expect([has(page, 'second'), p.app.watching.second.value]).toEqual([false, false])
    expect(stop).toHaveBeenCalled()
  })
})
