// The frame of the small map.
import { expect, it } from 'vitest'
import { frameOf } from './minimap'

it('is whole at the edges of the country when the camera sees beyond them', () => {
  expect(frameOf({ x: 10, y: 20, width: 30, height: 40 })).toEqual([10.5, 20.5, 30, 40])
  const [x, y, width, height] = frameOf({ x: -5, y: -9, width: 1000, height: 1000 })
  expect([x, y, x + width, y + height]).toEqual([0.5, 0.5, 119.5, 119.5])
})
