// The director shows the most important scene, and does not change scenes too often.
import { describe, expect, it } from 'vitest'
import type { Agent, AgentState, Finding, World } from '../../net/protocol.gen'
import { directorWords } from '../../words-director'
import { busyHeroes, candidates, type Standing } from './candidates'
import { Lately } from './lately'
import { News } from './news'
import { direct, NOTHING, type Candidate, type Direction, type Why } from './direct'

const of = (hero: string, kind: Why['kind'], path = hero): Candidate => ({
  key: hero,
  place: { path, page: 0 },
  hero,
  why: { kind, name: hero, file: '' },
})
const rest: Candidate = { key: 'rest', place: null, hero: '', why: { kind: 'rest', name: '', file: '' } }

/**
 * Gives the director a list of candidates for each half second. Returns each scene that it showed, and when the scene
 * began.
 */
function play(lists: readonly (readonly Candidate[])[], d: Direction = NOTHING): [number, string][] {
  const out: [number, string][] = []
  lists.forEach((all, i) => {
    d = direct(d, [...all, rest], i * 500)
    const key = d.shot?.hero || 'rest'
    if (out.at(-1)?.[1] !== key) out.push([i * 500, key])
  })
  return out
}
const during = (n: number, ...all: Candidate[]): Candidate[][] => Array.from({ length: n }, () => all)

describe('the director', () => {
  it('shows what matters most', () => {
    const order: Why['kind'][] = ['walks', 'works', 'speaks', 'comes', 'stands', 'reads', 'argues', 'found', 'door']
    order.forEach((kind, i) => {
      const lower = order.slice(0, i).map((k) => of(k, k))
      expect(play([[...lower, of('best', kind)]])).toEqual([[0, 'best']])
    })
  })

  it('lets no shot last less than three seconds, even for a door', () => {
    const shots = play([...during(2, of('a', 'reads')), ...during(20, of('a', 'reads'), of('b', 'door'))])
    expect(shots).toEqual([
      [0, 'a'],
      [3000, 'b'],
    ])
  })

  it('takes turns with what is as important, the longest unseen first', () => {
    const shots = play(during(80, of('a', 'reads'), of('b', 'reads'), of('c', 'reads')))
    expect(shots.map(([, who]) => who)).toEqual(['a', 'b', 'c', 'a', 'b'])
    expect(shots[1]![0]).toBe(9000)
  })

  it('does not go back and forth when a subject comes and goes', () => {
    const flicker = Array.from({ length: 60 }, (_, i) => [of('a', 'reads'), ...(i % 2 ? [of('b', 'found')] : [])])
    const shots = play(flicker)
    for (let i = 1; i < shots.length; i++) expect(shots[i]![0] - shots[i - 1]![0]).toBeGreaterThanOrEqual(3000)
  })

  it('follows a hero on its way into a room, and stays with it there', () => {
    let d = NOTHING
    const at: (string | undefined)[] = []
    const way: Candidate[] = [{ ...of('a', 'comes'), place: null }, of('a', 'comes', 'src'), of('a', 'reads', 'src')]
    way.forEach((c, i) => {
      d = direct(d, [c, of('b', 'speaks'), rest], i * 500)
      at.push(d.shot?.place?.path)
    })
    expect(at).toEqual([undefined, 'src', 'src'])
    expect(d.shot?.since).toBe(0)
  })

  it('rests only when nothing has happened for four seconds', () => {
    const gap = play([...during(10, of('a', 'reads')), ...during(6), ...during(10, of('a', 'reads'))])
    expect(gap).toEqual([[0, 'a']])
    const quiet = play([...during(10, of('a', 'reads')), ...during(20)])
    expect(quiet).toEqual([
      [0, 'a'],
      [9000, 'rest'],
    ])
  })
})

describe('the line over the map', () => {
  const at = (id: string, room: string | null) => ({ id, room, page: 0 })
  const two = [of('a', 'reads'), of('b', 'reads')]

  it('says at once that nobody is at work, while the camera stays for a moment', () => {
    const reads = direct(NOTHING, [of('a', 'reads'), rest], 0)
    const over = direct(reads, [rest], 500, [at('a', null)])
    expect(directorWords.why(over.shot!.why)).toBe('Nobody is at work')
    expect([over.shot!.hero, over.shot!.place?.path]).toEqual(['a', 'a'])
    expect(direct(over, [rest], 1000, [at('a', null)])).toBe(over)
    expect(direct(over, [rest], 4500, [at('a', null)]).shot!.key).toBe('rest')
  })

  it('says that the shown hero is idle while others are at work, and not what it did', () => {
    const d = direct(direct(NOTHING, two, 0), [of('b', 'reads'), rest], 500, [at('a', 'a'), at('b', 'b')])
    expect([d.shot!.hero, directorWords.why(d.shot!.why)]).toEqual(['a', 'a is idle'])
  })

  it('leaves at once a place that the shown hero has left without work', () => {
    const d = direct(direct(NOTHING, two, 0), [of('b', 'reads'), rest], 500, [at('a', null), at('b', 'b')])
    expect([d.shot!.hero, directorWords.why(d.shot!.why)]).toEqual(['b', 'b reads '])
  })
})

describe('a finding just made', () => {
  const finding = (id: string, severity: string, path = 'src/a.go') =>
    ({ id, severity, path, agentId: 'ann' }) as Finding
  const ann = (room: string | null) => [{ id: 'ann', room, page: 0 }]

  it('is a scene before other findings if it is severe', () => {
    const severe = { ...of('b', 'found'), severe: true }
    expect(play([...during(2, of('a', 'found')), ...during(10, of('a', 'found'), severe)])).toEqual([
      [0, 'a'],
      [3000, 'b'],
    ])
  })

  it('is new for eight seconds from when the map shows its hero in its room', () => {
    const news = new News([])
    const all = [finding('f', 'critical'), finding('g', 'low', 'x.go')]
    expect([...news.take(all, ann(null), 0)]).toMatchObject([['ann', { path: 'src/a.go', severe: true }]])
    expect(news.take(all, ann(null), 9_000).size).toBe(1)
    expect(news.take(all, ann('src'), 12_000).size).toBe(1)
    expect(news.take(all, ann('src'), 19_999).size).toBe(1)
    expect(news.take(all, ann('src'), 20_000).size).toBe(0)
  })

  it('does not stay new for ever if its hero does not come, and a minor one only for eight seconds', () => {
    const news = new News([])
    const all = [finding('f', 'high')]
    expect(news.take(all, ann(null), 0).size).toBe(1)
    expect(news.take(all, ann(null), 20_000).size).toBe(0)
    const minor = [...all, finding('g', 'low')]
    expect(news.take(minor, ann(null), 30_000).size).toBe(1)
    expect(news.take(minor, ann(null), 38_000).size).toBe(0)
  })
})

describe('the candidates', () => {
  const agent = (id: string, over: Partial<Agent> = {}): Agent =>
    ({ id, displayName: id, status: 'idle', activity: '', ...over }) as Agent
  const hero = (id: string, over: Partial<Standing> = {}): Standing => ({
    id,
    name: id,
    room: 'src',
    page: 1,
    file: 'src/a.go',
    walking: false,
    speaks: false,
    inView: true,
    ...over,
  })
  const world = (status: string, ...agents: Agent[]): { world: World } => ({
    world: { agents, forts: [] as World['forts'], processState: { status, cast: [] as unknown } } as World,
  })
  const kinds = (all: Candidate[]): string[] => all.map((c) => `${c.hero}:${c.why.kind}:${c.why.file}`)

  it('are heroes by what they do, each where it is shown', () => {
    const held = { state: 'waiting', wait: 'permission', source: 'hook', since: null } as const
    const all = candidates(
      world(
        'running',
        agent('reader', { status: 'running' }),
        agent('stander'),
        agent('finder'),
        agent('arguer', { activity: 'conversing' }),
        agent('held', { state: held }),
        agent('walker'),
        agent('leaver'),
        agent('idler'),
      ),
      [
        hero('reader'),
        hero('stander'),
        hero('finder'),
        hero('arguer', { room: null, file: '', speaks: true }),
        hero('held', { room: null, file: '' }),
        hero('walker', { walking: true }),
        hero('leaver', { room: null, file: '', walking: true }),
        hero('idler', { room: null, file: '' }),
      ],
      new Map([['finder', { path: 'src/b.go', severe: false }]]),
      null,
      new Set(['stander']),
    )
    expect(kinds(all)).toEqual([
      'reader:reads:src/a.go',
      'stander:stands:src/a.go',
      'finder:found:src/b.go',
      'arguer:argues:',
      'held:door:',
      'walker:comes:src/a.go',
      'leaver:walks:',
      ':rest:',
    ])
    expect(all[0]!.place).toEqual({ path: 'src', page: 1 })
    expect(all[3]!.place).toBeNull()
  })

  it('do not say that a hero reads the file at which it is still shown, when it has gone on to another', () => {
    const walk = { target: 'src/b.go' } as NonNullable<Agent['walk']>
    const scene = (file: string) =>
      kinds(
        candidates(world('running', agent('a', { status: 'running', walk })), [hero('a', { file })], new Map(), null),
      )[0]
    expect(scene('src/a.go')).toBe('a:stands:src/a.go')
    expect(scene('src/b.go')).toBe('a:reads:src/b.go')
  })

  it('name the file of a finding only in its room, and follow who has found something severe there', () => {
    const at = (h: Standing, severe: boolean) => {
      const found = new Map([['a', { path: 'src/b.go', severe }]])
      return kinds(candidates(world('running', agent('a')), [h], found, null))[0]
    }
    expect(at(hero('a'), true)).toBe('a:found:src/b.go')
    expect(at(hero('a', { room: 'lib', file: 'lib/c.go' }), false)).toBe('a:found:')
    expect(at(hero('a', { room: null, walking: true }), true)).toBe('a:found:')
    expect(at(hero('a', { room: null, walking: true }), false)).toBe('a:comes:src/a.go')
  })

  it('say of a hero that has just worked that it is at a file, also while it speaks', () => {
    const lately = new Set(['a'])
    const all = candidates(world('running', agent('a')), [hero('a', { speaks: true })], new Map(), null, lately)
    expect(kinds(all)[0]).toBe('a:stands:src/a.go')
  })

  it('say of a coding agent only what it does now, though it stands at the file of before', () => {
    const why = (state: Partial<AgentState>) => {
      const now = { state: 'working', source: 'hook', since: null, path: 'src/a.go', ...state } as AgentState
      const coder = agent('a', { status: 'running', state: now })
      return kinds(candidates(world('idle', coder), [hero('a')], new Map(), null))[0]
    }
    expect(why({ reason: 'Read: src/a.go' })).toBe('a:reads:src/a.go')
    expect(why({ reason: 'Edit: src/a.go', edits: true })).toBe('a:edits:src/a.go')
    expect(why({ reason: 'Bash: go test ./...', edits: true })).toMatch(/^a:works:/)
  })

  it('have none who is idle at a file while a process runs in which others have turns', () => {
    const [works, idle] = [agent('a', { status: 'running' }), agent('a')]
    const lately = new Lately()
    const why = (a: Agent, h: Standing, now: number) => {
      const r = world('running', a)
      return kinds(candidates(r, [h], new Map(), null, lately.take(busyHeroes(r, [h]), now)))[0]
    }
    expect(why(idle, hero('a'), 0)).toBe(':rest:')
    expect(why(works, hero('a'), 500)).toBe('a:reads:src/a.go')
    expect(why(idle, hero('a'), 1000)).toBe('a:stands:src/a.go')
    expect(why(idle, hero('a'), 5000)).toBe(':rest:')
    expect(why(idle, hero('a', { walking: true }), 6000)).toBe('a:comes:src/a.go')
    expect(why(idle, hero('a'), 6500)).toBe('a:stands:src/a.go')
    expect(why(idle, hero('a'), 10_500)).toBe(':rest:')
  })

  it('say for whom the process waits, and not that this person is at work', () => {
    const w = world('running', agent('a', { status: 'running' }), agent('b', { status: 'running' }))
    const cast = [
      { roleId: 'a', memberId: 'a', kind: 'human' as const, name: 'Fiona' },
      { roleId: 'b', memberId: 'b', kind: 'agent' as const },
    ]
    const r = { world: { ...w.world, processState: { ...w.world.processState, cast } } }
    const heroes = ['a', 'b'].map((id) => hero(id, { room: null, file: '' }))
    const all = candidates(r, heroes, new Map(), null)
    expect(all.map((c) => c.why.kind)).toEqual(['asked', 'works', 'rest'])
    expect(directorWords.why(all[0]!.why)).toBe('Waits for Fiona')
  })

  it('are only the whole country when nobody is at work', () => {
    expect(kinds(candidates(world('completed', agent('a')), [hero('a')], new Map(), null))).toEqual([':rest:'])
  })

  it('are the one hero that a person follows, wherever it is', () => {
    const all = candidates(world('idle', agent('a'), agent('b')), [hero('a'), hero('b')], new Map(), {
      id: 'b',
      name: 'B',
    })
    expect(kinds(all)).toEqual(['b:follows:src/a.go'])
  })

  it('say that the followed hero has left, though others are at work', () => {
    const all = candidates(world('running', agent('a', { status: 'running' })), [hero('a')], new Map(), {
      id: 'b',
      name: 'Ben',
    })
    expect(all.map((c) => [c.hero, c.why])).toEqual([['', { kind: 'left', name: 'Ben', file: '' }]])
    expect(directorWords.why(all[0]!.why)).toBe('Ben has left')
  })
})
