// When the map computes names and dots again.
import { expect, it } from 'vitest'
import { alike, type HeroNow } from './heroes-now'

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
