// Where glints are.
import { expect, it } from 'vitest'
import { Glints } from './glints'
import { COUNTRY_SIDE } from '../../state/grid'
import { looks, TILE, WATER } from './terrain'

const ALL = { left: 0, top: 0, right: COUNTRY_SIDE * TILE, bottom: COUNTRY_SIDE * TILE }
const land = (tile: number) =>
  looks(new Uint8Array(COUNTRY_SIDE ** 2).fill(tile), new Uint8Array(COUNTRY_SIDE ** 2), null)

const sea = () => {
  const glints = new Glints()
  glints.show(land(WATER))
  return glints
}

it('are few, and spread over all of the water that one sees', () => {
  const shown = sea().sprites(ALL, 0)
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.length).toBeLessThan(80)
  const lower = shown.filter((s) => s.y > ALL.bottom / 2).length
  expect(Math.abs(lower - shown.length / 2)).toBeLessThan(shown.length / 4)
})

it('are only on water, and only where one looks', () => {
  const glints = sea()
  const seen = { left: 100, top: 100, right: 600, bottom: 400 }
  for (const { x, y } of glints.sprites(seen, 0)) {
    expect(x).toBeGreaterThan(100 - TILE)
    expect(x).toBeLessThan(600 + TILE)
    expect(y).toBeGreaterThan(100 - TILE)
    expect(y).toBeLessThan(400 + TILE)
  }
  glints.show(land(0))
  expect(glints.sprites(seen, 0)).toEqual([])
})

it('stay for some frames, move with the camera, and then are elsewhere', () => {
  const glints = sea()
  const first = glints.sprites(ALL, 0)
  expect(glints.sprites({ ...ALL }, 300)).toBe(first)
  expect(glints.sprites({ ...ALL, right: 500 }, 300)).not.toEqual(first)
  expect(glints.sprites(ALL, 700)).not.toEqual(first)
})
