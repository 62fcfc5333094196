// The names below the things of a room do not overlap, and are as long as their neighbours allow.
import { describe, expect, it } from 'vitest'
import type { RoomObject } from '../../net/protocol.gen'
import { middle, thingNames } from './thing-names'

const row = (names: string[], y = 2): RoomObject[] =>
  names.map((name, i) => ({ id: `${y} ${name}`, kind: 'file', name, path: name, x: 2 + 2 * i, y }))

describe('the name of a thing', () => {
  it('is shortened in its middle, and keeps its beginning and its extension', () => {
    expect(middle('content_negotiation_test.go', 16)).toBe('content_…test.go')
    expect(middle('content_negotiation.go', 7)).toBe('con….go')
    expect(middle('package-lock.json', 8)).toBe('pa….json')
    expect(middle('.golangci-release', 8)).toBe('.gol…ase')
    expect(middle('main.go', 7)).toBe('main.go')
  })

  it('stands in the other line than those of its neighbours, and overlaps none in its own', () => {
    const things = row(['a.go', 'a_rather_long_name.go', 'b.go', 'another_long_name.go', 'c_is_also_very_long.go', 'd'])
    const names = things.map((o) => ({ ...thingNames(things, [], 32).get(o.id)!, x: (o.x + 0.5) * 32 }))
    expect(names.map((n) => n.line)).toEqual([0, 1, 0, 1, 0, 1])
    for (const [i, a] of names.entries())
      for (const b of names.slice(i + 1))
        if (a.line === b.line) expect(b.x - a.x).toBeGreaterThan(((a.text.length + b.text.length) * 7) / 2 + 12)
    expect(names.map((n) => n.text.length >= 7 || n.text.length <= 4)).not.toContain(false)
  })

  it('stands over the heading of the next group where that covers the lower line', () => {
    const things = row(['a.md', 'b.md', 'c.md'])
    const lines = (y: number) => things.map((o) => thingNames(things, [{ y, left: 1, right: 4.6 }], 32).get(o.id)!.line)
    expect(lines(2)).toEqual([0, 0, 1])
    expect(lines(4)).toEqual([0, 1, 0])
  })

  it('has one line at a small zoom', () => {
    const things = row(['a_long_name_of_a_file.go', 'b.go'])
    expect([...thingNames(things, [], 16).values()]).toEqual([
      { text: 'a_long_name_of_a_file.go', line: 0 },
      { text: 'b.go', line: 0 },
    ])
  })
})
