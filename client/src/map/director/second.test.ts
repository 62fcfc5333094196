// Which second scene the map shows beside the main view.
import { describe, expect, it } from 'vitest'
import type { Standing } from './candidates'
import type { Candidate, Why } from './direct'
import { second, type Second } from './second'

const of = (hero: string, kind: Why['kind'], file = ''): Candidate => ({
  key: hero,
  place: { path: hero, page: 0 },
  hero,
  why: { kind, name: hero, file },
})
const standing = (id: string, inView = false): Standing => ({
  id,
  name: id,
  room: 'src',
  page: 0,
  file: '',
  walking: false,
  speaks: false,
  inView,
})

/** Gives `second` a list of candidates for each half second. Returns each second scene, and when it began. */
function play(lists: readonly (readonly Candidate[])[], inView: (i: number) => string[] = () => []) {
  const out: [number, string][] = []
  let s: Second | null = null
  lists.forEach((all, i) => {
    const heroes = ['a', 'b', 'c'].map((id) => standing(id, inView(i).includes(id)))
    s = second(s, all, heroes, i * 500)
    const key = s?.scene.key ?? ''
    if (out.at(-1)?.[1] !== key) out.push([i * 500, key])
  })
  return out
}
const during = (n: number, ...all: Candidate[]): Candidate[][] => Array.from({ length: n }, () => all)

describe('the second scene', () => {
  it('is a question, a finding, an argument or the hero that was followed, in this order, and nothing else', () => {
    const order: Why['kind'][] = ['follows', 'argues', 'found', 'door']
    order.forEach((kind, i) => {
      const lower = order.slice(0, i).map((k) => of(k, k))
      expect(play([[...lower, of('best', kind)]])).toEqual([[0, 'best']])
    })
    for (const kind of ['reads', 'stands', 'comes', 'speaks', 'works', 'walks', 'rest', 'left'] as const)
      expect(play([[of('a', kind)]])).toEqual([[0, '']])
  })

  it('is never one that the main view shows, and ends when the main view comes to it', () => {
    const shown = play(during(6, of('a', 'door'), of('b', 'found')), (i) =>
      i < 2 ? ['a', 'b'] : i < 4 ? ['a'] : ['b'],
    )
    expect(shown).toEqual([
      [0, ''],
      [1000, 'b'],
      [2000, 'a'],
    ])
  })

  it('stays for four seconds, also if it is over before or a question comes', () => {
    const over = play([...during(1, of('a', 'found')), ...during(11)])
    expect(over).toEqual([
      [0, 'a'],
      [4000, ''],
    ])
    const asked = play([...during(2, of('a', 'found')), ...during(10, of('a', 'found'), of('b', 'door'))])
    expect(asked).toEqual([
      [0, 'a'],
      [4000, 'b'],
    ])
  })

  it('takes turns with what is as important after nine seconds', () => {
    expect(play(during(38, of('a', 'door'), of('b', 'door')))).toEqual([
      [0, 'a'],
      [9000, 'b'],
      [18000, 'a'],
    ])
    expect(play(during(30, of('a', 'door')))).toEqual([[0, 'a']])
  })

  it('says the newest of its subject, and is the same while nothing changes', () => {
    const first = second(null, [of('a', 'found', 'x.go')], [standing('a')], 0)
    expect(second(first, [of('a', 'found', 'x.go')], [standing('a')], 500)).toBe(first)
    const next = second(first, [of('a', 'found', 'y.go')], [standing('a')], 1000)
    expect([next?.scene.why.file, next?.since]).toEqual(['y.go', 0])
  })
})
