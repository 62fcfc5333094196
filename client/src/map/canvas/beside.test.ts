// The hero that the camera follows stands beside the minimap, not below it.
import { expect, it } from 'vitest'
import { besideControls } from './beside'
import { clampView, overlaps, toScreen, type Box, type View } from './view'

const screen = { width: 626, height: 527 }
const world = { width: 2000, height: 1500 }
const within = (v: View): View => clampView(v, screen, world)
const minimap: Box = { left: 494, right: 614, top: 391, bottom: 511 }
const heroAt = (x: number, y: number): Box => ({ left: x - 12, right: x + 12, top: y - 20, bottom: y + 26 })

function shown(v: View, hero: Box): Box {
  const [from, to] = [toScreen(v, screen, hero.left, hero.top), toScreen(v, screen, hero.right, hero.bottom)]
  return { left: from.x, right: to.x, top: from.y, bottom: to.y }
}
const follow = (x: number, y: number, controls: Box[], ratio = 1) => {
  const to = within({ x, y, zoom: 2 })
  return { to, view: besideControls(to, { hero: heroAt(x, y), screen, ratio, controls, within }) }
}

it('a control in the corner leaves a hero in the middle where it is', () => {
  const { to, view } = follow(900, 700, [minimap])
  expect(view).toBe(to)
})

it('a hero at the edge of the map comes out from under a control, and stays on the screen', () => {
  const box: Box = { left: 460, right: 614, top: 220, bottom: 511 }
  const { to, view } = follow(1940, 700, [box])
  expect(overlaps(box, shown(to, heroAt(1940, 700)))).toBe(true)
  const at = shown(view, heroAt(1940, 700))
  expect(overlaps(box, at)).toBe(false)
  expect(at.left >= 0 && at.top >= 0 && at.right <= screen.width && at.bottom <= screen.height).toBe(true)
})

it('of several controls none covers the hero, also on a screen with two pixels for one', () => {
  const half = (b: Box): Box => ({ left: b.left / 2, right: b.right / 2, top: b.top / 2, bottom: b.bottom / 2 })
  const boxes = [
    { left: 240, right: 420, top: 180, bottom: 330 },
    { left: 240, right: 420, top: 60, bottom: 178 },
  ]
  const { view } = follow(900, 700, boxes.map(half), 2)
  const at = shown(view, heroAt(900, 700))
  expect(boxes.some((b) => overlaps(b, at))).toBe(false)
})

it('without a free place the hero stays where it is', () => {
  const { to, view } = follow(900, 700, [{ left: 0, right: 626, top: 0, bottom: 527 }])
  expect(view).toBe(to)
})
