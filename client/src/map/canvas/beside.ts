// Moves the director's view so that no control of the map covers the hero that it follows. Pure.
import { overlaps, toScreen, type Box, type Size, type View } from './view'

/** The space between a hero and a control, in CSS pixels. */
const GAP = 8

interface Followed {
  /** The box of the hero with its name, in pixels of the map. */
  hero: Box
  screen: Size
  /** The number of pixels of the screen for one CSS pixel. */
  ratio: number
  /** The boxes of the controls, in CSS pixels. */
  controls: readonly Box[]
  /** Moves a view so that it shows nothing outside of the map. */
  within: (v: View) => View
}

/**
 * The view `to` or, if a control covers the hero there, the nearest view in which none does; `to` if there is no such
 * view.
 */
export function besideControls(to: View, { hero, screen, ratio, controls, within }: Followed): View {
  const boxes = controls.map((b) => ({
    left: (b.left - GAP) * ratio,
    right: (b.right + GAP) * ratio,
    top: (b.top - GAP) * ratio,
    bottom: (b.bottom + GAP) * ratio,
  }))
  const seen = (v: View): Box => {
    const [from, end] = [toScreen(v, screen, hero.left, hero.top), toScreen(v, screen, hero.right, hero.bottom)]
    return { left: from.x, top: from.y, right: end.x, bottom: end.y }
  }
  const at = seen(to)
  const isCovered = (v: View): boolean => boxes.some((b) => overlaps(b, seen(v)))
  const isOn = ({ left, top, right, bottom }: Box): boolean =>
    left >= 0 && top >= 0 && right <= screen.width && bottom <= screen.height
  if (!isCovered(to)) return to
  const distance = (v: View): number => Math.hypot(v.x - to.x, v.y - to.y)
  const views = boxes
    .flatMap((b) => [
      [0, b.top - at.bottom],
      [0, b.bottom - at.top],
      [b.left - at.right, 0],
      [b.right - at.left, 0],
    ])
    .map(([dx, dy]) => within({ ...to, x: to.x - dx! / to.zoom, y: to.y - dy! / to.zoom }))
    .filter((v) => !isCovered(v) && isOn(seen(v)))
  return views.reduce((best, v) => (best === to || distance(v) < distance(best) ? v : best), to)
}
