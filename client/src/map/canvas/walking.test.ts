// What the page shows of walks: a hero is seen at a file before it leaves, whatever the server does meanwhile.
import { describe, expect, it } from 'vitest'
import type { Agent } from '../../net/protocol.gen'
import { WalkClock } from './walking'

let walks = 0
/** A hero that walks one second to a file, or out of the house if there is no file. */
function goes(file: string): Agent {
  const at = `2026-01-01T00:00:${String(++walks).padStart(2, '0')}Z`
  const inside = file !== ''
  return {
    id: 'a',
    name: 'a',
    displayName: 'A',
    kind: 'agent',
    role: 'a',
    color: '#ffffff',
    status: 'running',
    x: 5,
    y: 5,
    realm: inside ? 'src' : '',
    ...(inside ? { inside } : {}),
    walk: {
      path: inside ? [] : Array.from({ length: 10 }, (_, i) => [i, 0] as [number, number]),
      room: inside ? Array.from({ length: 10 }, (_, i) => [i, 5] as [number, number]) : [],
      startsAt: at,
      arrivesAt: at,
      msPerTile: 100,
      ...(inside ? { target: file } : {}),
    },
  }
}

const shown = (clock: WalkClock, a: Agent, now: number): string => {
  const p = clock.position(a, now)
  return `${p.room ?? 'out'} ${p.file} ${p.moving ? 'walks' : 'stands'}`
}

describe('a hero of a fast server', () => {
  it('stands at each file for seconds, and names the file at which it stands', () => {
    const clock = new WalkClock()
    const [one, two] = [goes('src/one.go'), goes('src/two.go')]
    clock.follow('x', [goes('')], {}, 0, true)
    clock.follow('x', [one], {}, 2000, true)
    clock.follow('x', [two], {}, 2100, true)
    expect(shown(clock, two, 2500)).toBe('src src/one.go walks')
    expect(shown(clock, two, 3100)).toBe('src src/one.go stands')
    expect(shown(clock, two, 7000)).toBe('src src/one.go stands')
    expect(shown(clock, two, 7200)).toBe('src src/two.go walks')
    expect(shown(clock, two, 8300)).toBe('src src/two.go stands')
  })

  it('stays at its file while a process runs, and goes home soon after', () => {
    for (const [busy, leaves] of [
      [true, 60_000],
      [false, 4_000],
    ] as const) {
      const clock = new WalkClock()
      const home = goes('')
      clock.follow('x', [], {}, 0, busy)
      clock.follow('x', [goes('src/one.go')], {}, 0, busy)
      clock.follow('x', [home], {}, 100, busy)
      expect(shown(clock, home, 1000)).toBe('src src/one.go stands')
      expect(shown(clock, home, 900 + leaves)).toBe('src src/one.go stands')
      expect(shown(clock, home, 1100 + leaves)).toBe('out  walks')
    }
  })

  it('does not go home between two files of a fast server', () => {
    const clock = new WalkClock()
    clock.follow('x', [], {}, 0, true)
    const two = goes('src/two.go')
    for (const a of [goes('src/one.go'), goes(''), two]) clock.follow('x', [a], {}, 0, true)
    const seen = new Set<string>()
    for (let now = 0; now < 60_000; now += 100) seen.add(clock.position(two, now).file)
    expect([...seen]).toEqual(['src/one.go', 'src/two.go'])
  })

  it('is never more than one file behind, whatever was overtaken meanwhile', () => {
    const clock = new WalkClock()
    clock.follow('x', [], {}, 0, true)
    const all = ['a', 'b', 'c', 'd', 'e'].map((f) => goes(`src/${f}`))
    for (const a of all) clock.follow('x', [a], {}, 0, true)
    const seen = new Set<string>()
    for (let now = 0; now < 60_000; now += 100) seen.add(clock.position(all[4]!, now).file)
    expect([...seen]).toEqual(['src/a', 'src/e'])
  })

  it('shows the last file before it goes home', () => {
    const clock = new WalkClock()
    clock.follow('x', [], {}, 0, false)
    const home = goes('')
    for (const a of [goes('src/one.go'), goes('src/two.go'), home]) clock.follow('x', [a], {}, 0, false)
    const seen = new Set<string>()
    for (let now = 0; now < 60_000; now += 100) seen.add(clock.position(home, now).file)
    expect([...seen]).toEqual(['src/one.go', 'src/two.go', ''])
  })

  it('walks no longer than four seconds, however far', () => {
    const far = goes('src/far.go')
    far.walk!.path = Array.from({ length: 90 }, (_, i) => [i, 0] as [number, number])
    const clock = new WalkClock()
    clock.follow('x', [], {}, 0, true)
    clock.follow('x', [far], {}, 0, true)
    expect(clock.position(far, 2000)).toMatchObject({ x: 50, moving: true })
    expect(clock.position(far, 4000).moving).toBe(false)
  })

  it('turns round on its way home for a file to read', () => {
    const clock = new WalkClock()
    const [home, file] = [goes(''), goes('src/one.go')]
    file.walk!.path = Array.from({ length: 4 }, (_, i) => [5, i] as [number, number])
    clock.follow('x', [], {}, 0, true)
    clock.follow('x', [home], {}, 0, true)
    clock.follow('x', [file], {}, 500, true)
    expect(clock.position(file, 500)).toMatchObject({ x: 5, y: 0, moving: true, file: 'src/one.go' })
    expect(clock.position(file, 700)).toMatchObject({ x: 5, y: 2, moving: true })
  })

  it('walks home when it has left the process, instead of jumping there', () => {
    const clock = new WalkClock()
    const walk = goes('').walk!
    const { walk: _, ...gone } = { ...goes(''), x: 9, y: 0 }
    const follow = (a: Agent, now: number) => clock.follow('x', [a], {}, now, false, () => walk)
    clock.follow('x', [], {}, 0, true)
    follow(goes('src/one.go'), 0)
    follow(gone, 1000)
    expect(shown(clock, gone, 4000)).toBe('src src/one.go stands')
    expect(shown(clock, gone, 5100)).toBe('out  walks')
    follow(gone, 5400)
    expect(clock.position(gone, 5500)).toMatchObject({ y: 0, moving: true })
    follow(gone, 7000)
    expect(clock.position(gone, 7000)).toMatchObject({ room: null, x: 9, y: 0, moving: false })
  })

  it('is after an attach where the server says, without what was shown before', () => {
    const clock = new WalkClock()
    const [one, two] = [goes('src/one.go'), goes('src/two.go')]
    clock.follow('x', [one], {}, 0, true)
    clock.follow('x', [two], {}, 100, true)
    clock.follow('y', [two], {}, 200, true)
    expect(shown(clock, two, 200)).toBe('src src/two.go stands')
  })
})
