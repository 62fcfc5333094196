// When the map computes heroes, names and dots again.
import { describe, expect, it } from 'vitest'
import type { Agent, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { alike, HeroesNow, type HeroNow } from './heroes-now'
import { Standers } from './slots'
import { Spoken } from './spoken'
import { WalkClock } from './walking'

const hero: HeroNow = {
  id: 'a',
  name: 'Ada',
  color: '#4fb8a3',
  x: 1,
  y: 2,
  room: null,
  page: 0,
  file: '',
  frame: 'hero.scout.down.idle0',
  moving: false,
  lit: false,
  says: undefined,
}

it('is not needed if only the frame of an animation has changed', () => {
  expect(alike([hero], [{ ...hero, frame: 'hero.scout.down.idle1' }])).toBe(true)
  expect(alike([], [])).toBe(true)
})

it.each<[string, Partial<HeroNow>]>([
  ['id', { id: 'b' }],
  ['name', { name: 'Bob' }],
  ['colour', { color: '#ffffff' }],
  ['place', { x: 1.5 }],
  ['row', { y: 3 }],
  ['room', { room: 'src' }],
  ['page of the room', { page: 1 }],
  ['file', { file: 'src/main.go' }],
  ['words', { says: 'Here it is.' }],
  ['walk', { moving: true }],
])('is needed if the %s of a hero has changed, or the number of heroes', (_, change) => {
  expect(alike([hero], [{ ...hero, ...change }])).toBe(false)
  expect(alike([hero], [hero, { ...hero, ...change }])).toBe(false)
  expect(alike([hero, hero], [hero])).toBe(false)
})

/** A hero that goes from (0, 0) to a file of src; '' for one that stands at its fort. */
const goes = (id: string, target: string): Agent => ({
  id,
  name: id,
  displayName: id,
  kind: 'agent',
  role: id,
  color: '#fff',
  status: 'running',
  x: target ? 3 : 5,
  y: target ? 3 : 0,
  realm: target ? 'src' : '',
  inside: target !== '',
  ...(target && {
    walk: {
      path: [
        [0, 0],
        [1, 0],
      ],
      room: [
        [1, 1],
        [3, 3],
      ],
      target,
      msPerTile: 200,
      startsAt: target,
      arrivesAt: `${target} later`,
    },
  }),
})

const realmOf = (agents: Agent[], messages: Message[] = []): RealmModel =>
  ({
    id: 'r',
    world: { tick: 1, agents, forts: [], processState: { status: 'running', cast: [] }, realm: { path: '/r' } },
    agentLabels: [],
    rooms: {},
    places: {},
    views: { c: { messages, team: { members: [] } } },
    heads: {},
    streams: {},
  }) as unknown as RealmModel

/** What the page knows of the heroes, and the two ways in which a page gets it. */
class Page {
  readonly #known = { clock: new WalkClock(), slots: new Standers(), spoken: new Spoken() }
  readonly #kept = new HeroesNow(this.#known)

  update(r: RealmModel, now: number): void {
    this.#known.clock.follow('x', r.world.agents, {}, now, true)
    this.#known.spoken.hear(r, 'x')
  }
  kept(r: RealmModel, now: number, still: boolean): HeroNow[] {
    return this.#kept.at(r, now, still)
  }
  anew(r: RealmModel, now: number, still: boolean): HeroNow[] {
    return new HeroesNow(this.#known).at(r, now, still)
  }
}

describe('the heroes of a frame', () => {
  const said = (content: string): Message =>
    ({ messageId: content, role: 'assistant', memberId: 'b', content, status: 'done', seq: 9 }) as Message
  const states: readonly [number, RealmModel][] = [
    [0, realmOf([goes('a', ''), goes('b', '')])],
    [2000, realmOf([goes('a', 'src/one.go'), goes('b', '')])],
    [3000, realmOf([goes('a', 'src/two.go'), goes('b', '')])],
    [15_000, realmOf([goes('a', 'src/two.go'), goes('b', '')], [said('Here is a sentence. And here is another one.')])],
    [
      24_000,
      realmOf([
        { ...goes('a', 'src/two.go'), status: 'idle' },
        { ...goes('b', ''), color: '#000' },
      ]),
    ],
    [25_000, realmOf([goes('b', 'src/one.go')])],
  ]

  it('are the same, whether the page computes all of them or keeps what cannot have changed', () => {
    const [kept, anew] = [new Page(), new Page()]
    for (const still of [false, true])
      for (let now = 0; now < 40_000; now += 90) {
        const r = states.findLast(([since]) => since <= now)![1]
        for (const p of [kept, anew]) p.update(r, now)
        expect(kept.kept(r, now, still)).toEqual(anew.anew(r, now, still))
      }
  })

  it('are the same objects while nobody walks or talks and no animation has its next picture', () => {
    const page = new Page()
    const r = states[0]![1]
    page.update(r, 0)
    const frames = Array.from({ length: 40 }, (_, i) => page.kept(r, 1000 + 20 * i, false))
    const made = new Set(frames.flat())
    expect(made.size).toBeLessThan(8)
    expect(new Set(frames.flat().map((h) => h.frame)).size).toBeGreaterThan(1)
  })
})
