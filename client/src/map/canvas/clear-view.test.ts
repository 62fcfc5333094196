// The first view of the country.
import { describe, expect, it } from 'vitest'
import { clearView } from './clear-view'
import { overlaps, toScreen, type Box, type View } from './view'

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
})

const part = box(0, 0, 500, 400)
const houses = [box(220, 170, 60, 60), box(30, 40, 40, 40), box(430, 320, 40, 40)]
const screen = { width: 600, height: 450 }

/** The houses that a box of the screen covers. */
function under(view: View, control: Box): number {
  return houses.filter((h) => {
    const [from, to] = [toScreen(view, screen, h.left, h.top), toScreen(view, screen, h.right, h.bottom)]
    return overlaps(control, { left: from.x, top: from.y, right: to.x, bottom: to.y })
  }).length
}

describe('the first view', () => {
  const middle = { x: 250, y: 200, zoom: 1 }

  it('has the houses in the middle of the screen, if no control covers one', () => {
    expect(clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls: [] })).toEqual(middle)
    expect(
      clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls: [box(280, 0, 40, 10)] }),
    ).toEqual(middle)
  })

  it('moves them from under a control at the edge, with as little loss as it can', () => {
    const minimap = box(480, 330, 110, 110)
    expect(under(middle, minimap)).toBe(1)
    const view = clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls: [minimap] })
    expect(under(view, minimap)).toBe(0)
    expect(view.zoom).toBeGreaterThan(0.7)
  })

  it('moves the marks above houses from under a control, too', () => {
    const line = box(0, 0, 300, 20) // ends above the house at (30, 40), and covers its mark
    expect(under(middle, line)).toBe(0)
    const view = clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls: [line] })
    const roof = Math.min(...houses.map((h) => toScreen(view, screen, h.left, h.top).y))
    expect(roof - line.bottom).toBeGreaterThanOrEqual(60)
  })

  it('asks for no zoom that the camera cannot have', () => {
    const controls = [box(480, 330, 110, 110), box(0, 0, 600, 40)]
    expect(clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls }).zoom).toBeLessThan(0.97)
    expect(
      clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.97, controls }).zoom,
    ).toBeGreaterThanOrEqual(0.97)
  })

  it('leaves them in the middle, if no other place is better', () => {
    const everywhere = box(0, 0, 600, 450)
    expect(clearView({ screen, ratio: 1, part, houses, roof: 0, smallest: 0.05, controls: [everywhere] })).toEqual(
      middle,
    )
  })
})
