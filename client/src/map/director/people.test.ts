// Who looks where on the map: people are at the file that they have open, else in the room to which they went.
import { describe, expect, it } from 'vitest'
import type { MapChange, Site, Spectator } from '../../net/protocol.gen'
import { onlookers } from '../../state/people'
import type { Model } from '../../state/model'
import { directorWords } from '../../words-director'
import { isAtFile, peopleAtHouses, peopleInRoom } from './people'

const person = (id: string, over: Partial<Spectator> = {}): Spectator => ({
  spectatorId: id,
  name: id,
  color: '#4fb8a3',
  role: 'spectator',
  ...over,
})
const site = (path: string): Site => ({
  path,
  name: path,
  x: 10,
  y: 20,
  width: 4,
  height: 3,
  doorX: 11,
  doorY: 23,
  files: 3,
})
const rooms = { me: 'src', ann: 'src/deep', ben: '', cleo: 'src' }
const model = {
  me: { spectatorId: 'me' },
  spectators: {
    count: 5,
    list: [person('me'), person('ann'), person('ben'), person('cleo', { path: 'src/a.go' }), person('dan')],
  },
  realm: { world: { navigationState: { agentCurrentPath: rooms, agentNavStacks: {}, walkers: [] } } },
} as unknown as Model
const people = onlookers(model)
const named = (marks: readonly { path: string; people: readonly { id: string }[] }[]) =>
  marks.map((m) => [m.path, ...m.people.map((p) => p.id)])

describe('people on the map', () => {
  it('are the others whose place is known', () => {
    expect(people.map((p) => [p.id, p.room, p.file])).toEqual([
      ['ann', 'src/deep', ''],
      ['ben', '', ''],
      ['cleo', 'src', 'src/a.go'],
    ])
  })

  it('stand at the house around their room', () => {
    expect(named(peopleAtHouses([site(''), site('src'), site('docs')], people))).toEqual([
      ['', 'ben'],
      ['src', 'ann', 'cleo'],
    ])
    // The path of the keep is '', and the file of a person without an open file is '' too. That must not count as
    // looking at a file.
    expect(peopleAtHouses([site('')], people).map(isAtFile)).toEqual([false])
  })

  it('stand at their file in its room, and without one beside the way out', () => {
    const src = (page: number): MapChange =>
      ({
        path: 'src',
        page,
        pages: 2,
        room: {
          name: 'src',
          width: 11,
          doors: [],
          objects: page === 0 ? [{ id: 'a', path: 'src/a.go', name: 'a.go', kind: 'file', x: 2, y: 2 }] : [],
        },
      }) as unknown as MapChange
    const here = [...people, { id: 'eve', name: 'eve', color: '#fff', room: 'src', file: '' }]
    expect(named(peopleInRoom(src(0), here))).toEqual([
      ['src', 'eve'],
      ['src/a.go', 'cleo'],
    ])
    expect(peopleInRoom(src(0), here).map(isAtFile)).toEqual([false, true])
    expect(peopleInRoom(src(1), here)).toEqual([])
  })

  it('are told by name, the rest by number', () => {
    expect(directorWords.look(['Ann'], 0, 'src')).toBe('Ann looks at src')
    expect(directorWords.look(['Ann', 'Ben'], 0, 'src')).toBe('Ann and Ben look at src')
    expect(directorWords.look(['Ann', 'Ben', 'Cleo'], 2, 'src')).toBe('Ann, Ben, Cleo and 2 more look at src')
  })
})
