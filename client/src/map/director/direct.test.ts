// The director shows the most important scene, and does not change scenes too often.
import { describe, expect, it } from 'vitest'
import type { Agent, World } from '../../net/protocol.gen'
import { directorWords } from '../../words-director'
import { candidates, type Standing } from './candidates'
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
      new Map([['finder', 'src/b.go']]),
      null,
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
