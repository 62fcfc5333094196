// Each hero in a room has a slot of its own, and keeps it.
import { describe, expect, it } from 'vitest'
import type { Room } from '../../net/protocol.gen'
import { seenAt, slotsOf, type Arrival, type Slots } from './slots'

/** A room with two files of code, a document below them, the door to the parent, and another door. */
const ROOM = {
  width: 12,
  height: 9,
  objects: [
    { path: 'src/a.go', x: 2, y: 2 },
    { path: 'src/b.go', x: 4, y: 2 },
    { path: 'src/c.md', x: 2, y: 4 },
  ],
  doors: [
    { path: '', x: 6, y: 0, back: true },
    { path: 'src/x', x: 2, y: 8 },
  ],
  parts: [],
  walls: [[4, 3]],
} as unknown as Room

const NONE: Slots = new Map()
const reads = (id: string, x: number, y: number, over: Partial<Arrival> = {}): Arrival => ({
  id,
  place: '0:src',
  room: ROOM,
  x,
  y,
  file: 'src/a.go',
  since: '',
  walks: null,
  ...over,
})
const at = (slots: Slots, id: string, now = Infinity) => {
  const { x, y } = seenAt(slots.get(id)!, now)
  return { x, y }
}
/** How much of a hero another one hides: 0 for nothing, 1 for everything. */
const hidden = (a: { x: number; y: number }, b: { x: number; y: number }): number =>
  (Math.max(0, 1.5 - Math.abs(a.x - b.x)) * Math.max(0, 2 - Math.abs(a.y - b.y))) / 3
const crowd = (count: number): Arrival[] =>
  Array.from({ length: count }, (_, i) => reads(`h${String(i).padStart(2, '0')}`, 3, 2))
const worst = (slots: Slots): number => {
  const all = [...slots.keys()].map((id) => at(slots, id))
  return Math.max(...all.flatMap((a, i) => all.slice(0, i).map((b) => hidden(a, b))))
}

describe('heroes who read one file of a small room', () => {
  it('hide neither one another nor files and doors', () => {
    const slots = slotsOf(NONE, crowd(8), 0)
    expect(worst(slots)).toBe(0)
    for (const { x, y } of slots.values()) {
      const covered = [...ROOM.objects, ...ROOM.doors].filter(
        (t) => Math.abs(t.x - x) < 1 && (t.y === y || t.y === y - 1),
      )
      expect(covered).toEqual([])
      expect(x >= 1 && x <= 10 && y >= 1 && y <= 7).toBe(true)
    }
  })

  it('are not drawn over one another if there are more than the room has space for', () => {
    expect(worst(slotsOf(NONE, crowd(25), 0))).toBeLessThanOrEqual(0.5)
  })

  it('keep their slots when one comes or goes', () => {
    const some = crowd(10)
    const before = slotsOf(NONE, some, 0)
    const more = slotsOf(before, [reads('a new one', 3, 2), ...some], 1)
    const fewer = slotsOf(more, some.slice(3), 2)
    for (const { id } of some) expect(more.get(id)).toBe(before.get(id))
    for (const { id } of some.slice(3)) expect(fewer.get(id)).toBe(before.get(id))
    expect(fewer.size).toBe(7)
    expect(slotsOf(fewer, [...some.slice(3)].reverse(), 3)).toBe(fewer)
  })

  it('have the same slots whatever their order, who arrives first before others', () => {
    const some = crowd(6).map((h, i) => ({ ...h, since: `2026-01-01T00:00:0${9 - i}Z` }))
    const slots = slotsOf(NONE, some, 0)
    expect(slotsOf(NONE, [...some].reverse(), 0)).toEqual(slots)
    expect(at(slots, 'h05')).toEqual(at(slotsOf(NONE, some.slice(5), 0), 'h05'))
  })

  it('leave a slot on which a new file stands, and no other', () => {
    const some = crowd(3)
    const before = slotsOf(NONE, some, 0)
    const gone = before.get('h00')!
    const room = {
      ...ROOM,
      objects: [...ROOM.objects, { path: 'src/new.go', x: Math.floor(gone.x), y: gone.y }],
    } as Room
    const after = slotsOf(
      before,
      some.map((h) => ({ ...h, room })),
      1,
    )
    expect(at(after, 'h00')).not.toEqual({ x: gone.x, y: gone.y })
    for (const id of ['h01', 'h02']) expect(after.get(id)).toBe(before.get(id))
  })

  it('go with their file where a new one moves it, and others stay', () => {
    const some = [reads('ann', 3, 2), reads('bob', 3, 5, { file: 'src/c.md' })]
    const before = slotsOf(NONE, some, 0)
    const moved = ROOM.objects.map((o) => (o.path === 'src/a.go' ? { ...o, x: 9 } : o))
    const room = { ...ROOM, objects: moved }
    const arrived = some.map((h) => ({ ...h, room }))
    const after = slotsOf(before, arrived, 1)
    expect(at(after, 'ann').x).toBeGreaterThan(7)
    expect(after.get('bob')).toBe(before.get('bob'))
    expect(slotsOf(after, arrived, 2)).toBe(after)
  })
})

describe('a hero that goes to another slot', () => {
  it('walks there from its old one, around files and walls', () => {
    const before = slotsOf(NONE, [reads('ann', 3, 2)], 0)
    const slots = slotsOf(before, [reads('ann', 3, 4, { file: 'src/c.md' })], 1000)
    expect(at(slots, 'ann', 1000)).toEqual(at(before, 'ann'))
    const end = at(slots, 'ann')
    expect(end).not.toEqual(at(before, 'ann'))
    for (let now = 1000; now < 5000; now += 10) {
      const [a, b] = [at(slots, 'ann', now), at(slots, 'ann', now + 10)]
      expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeLessThan(0.2)
      for (const t of [...ROOM.objects, { x: 4, y: 3 }])
        expect(Math.hypot(t.x - a.x, t.y - a.y), `over ${t.x},${t.y}`).toBeGreaterThan(0.4)
    }
    expect(seenAt(slots.get('ann')!, 1001).moving).toBe(true)
    expect(seenAt(slots.get('ann')!, 5000).moving).toBe(false)
  })

  it('walks from the door when it comes in, and is there at once if nobody has seen it come', () => {
    const walks = { x: 6, y: 0, msPerTile: 100 }
    const slots = slotsOf(NONE, [reads('ann', 3, 2, { walks }), reads('bob', 3, 2)], 0)
    expect(at(slots, 'ann', 0)).toEqual({ x: 6, y: 0 })
    expect(slots.get('bob')!.way).toBeNull()
  })
})

describe('heroes in the country', () => {
  it('stand beside one another', () => {
    const slots = slotsOf(
      NONE,
      ['a', 'b', 'c'].map((id) => reads(id, 50, 50, { room: null, place: '', file: '' })),
      0,
    )
    expect(['a', 'b', 'c'].map((id) => at(slots, id).x)).toEqual([50, 51.5, 48.5])
  })
})
