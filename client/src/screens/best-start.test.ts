// What the start screen offers first.
import { describe, expect, it } from 'vitest'
import type { TemplateInfo, World } from '../net/protocol.gen'
import type { Model } from '../state/model'
import { greet, openPage } from '../testing/page'
import { info, overlays, running, snapshot, welcomeSnapshot, world } from '../testing/samples'
import { startWords } from '../words-start'
import { bestStart } from './best-start'

const review: TemplateInfo = {
  id: 'code_review',
  name: 'Code review',
  description: '',
  roles: ['Bard'],
  stages: ['One'],
  driver: 'scout',
  cast: [{ id: 'bard', name: 'Bard', color: '#112233', played: true }],
}
const none = { type: 'welcome', realmId: null, continuity: 'none', epoch: null, from: 0, to: 0, mapGeneration: 0 }

async function inRealm(w: World, templates = [review]): Promise<Model> {
  const p = await openPage()
  greet(p.net.last, info({ templates }), welcomeSnapshot(5), snapshot(5, w), overlays())
  return p.app.model
}

async function outside(over: object, list: unknown[] = []): Promise<Model> {
  const p = await openPage()
  const at = info({ realmId: null, gamePhase: 'onboarding', templates: [review], ...over })
  greet(p.net.last, at, none, overlays(), { type: 'realm:list', realms: list, lastActiveRealmId: '' })
  return p.app.model
}

const folder = (w: World): World => ({ ...w, realm: { ...w.realm, path: '/home/x' } })
const agent = (id: string, state: string) => ({
  ...folder(world(5)).agents[0]!,
  id,
  state: { state, source: 'hook', since: null },
})

describe('the start screen offers', () => {
  it('nothing before the server has said what there is', async () => {
    const p = await openPage()
    expect(bestStart(p.app.model)).toBeNull()
    greet(p.net.last, info(), welcomeSnapshot(5))
    expect(bestStart(p.app.model)).toBeNull()
  })

  it('running agents before anything else, without those that ended', async () => {
    const w = folder(running(5))
    const agents = [agent('a', 'working'), agent('b', 'idle'), agent('c', 'ended'), agent('d', 'lost')]
    expect(bestStart(await inRealm({ ...w, agents }))).toEqual({ do: 'enter', why: 'agents', n: 2, waiting: 0 })
  })

  it('says that agents wait for the person who may answer them', async () => {
    const held = {
      ...agent('a', 'waiting'),
      state: { state: 'waiting', wait: 'permission', source: 'hook', since: null },
    }
    const w = { ...folder(running(5)), agents: [held, agent('b', 'working')] } as World
    expect(bestStart(await inRealm(w))).toMatchObject({ n: 2, waiting: 1 })
    const p = await openPage()
    greet(p.net.last, info({ templates: [review], guest: true }), welcomeSnapshot(5), snapshot(5, w), overlays())
    expect(bestStart(p.app.model)).toMatchObject({ n: 2, waiting: 0 })
    const say = startWords.agents
    expect([say(1, 1), say(2, 1), say(2, 2)]).toEqual([
      'Your agent waits for you',
      'Of your two agents, one waits for you',
      'Your two agents wait for you',
    ])
  })

  it('what runs, then what was found, then a review', async () => {
    expect(bestStart(await inRealm(folder(running(5))))).toMatchObject({ do: 'enter', why: 'running' })
    const idle = folder(world(5))
    expect(bestStart(await inRealm(idle))).toMatchObject({ do: 'review', path: '' })
    expect(bestStart(await inRealm(idle, []))).toMatchObject({ do: 'enter', why: 'realm' })
    const bare = { ...idle, realm: { ...idle.realm, path: '' }, map: { ...idle.map, source: 'none' as const } }
    expect(bestStart(await inRealm(bare))).toMatchObject({ do: 'enter', why: 'realm' })
  })

  it('the offered folder where no realm is open, else the realm that was opened last', async () => {
    expect(bestStart(await outside({ offer: '/home/x' }))).toMatchObject({ do: 'review', folder: 'x', path: '/home/x' })
    expect(bestStart(await outside({ offer: '/home/x', templates: [] }))).toMatchObject({ do: 'link', folder: 'x' })
    const list = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((lastExplored, i) => ({
      id: `r${i}`,
      name: `R${i}`,
      path: '',
      lastExplored,
      status: 'idle',
      files: 0,
      findings: 0,
      bytes: 0,
    }))
    expect(bestStart(await outside({}, list))).toEqual({ do: 'resume', id: 'r1', realm: 'R1' })
    expect(bestStart(await outside({}))).toEqual({ do: 'choose' })
  })
})
