// The first view of the country. It shows all houses. If the screen is large enough, no control of the map covers a
// house, its name or its mark. Pure.
import { beginZoom, overlaps, toScreen, type Box, type Size, type View } from './view'

/** A control at most this far from an edge of the screen counts as a control at that edge, in CSS pixels. */
const EDGE = 24
/** The space between a house and a control, in CSS pixels. */
const GAP = 4
/** The height of the name below a house, in CSS pixels. */
const NAME = 26
/** The height of the mark of findings above a house, with the space below the mark, in CSS pixels. */
const MARK = 60
/** The smallest area in which all houses may be shown, as a part of the screen's width and height. */
const LEAST = 0.6

interface Seen {
  screen: Size
  /** The number of pixels of the screen for one CSS pixel. */
  ratio: number
  /** The part of the map that has to be seen, the houses in it, and the height of the roofs above their boxes. */
  part: Box
  houses: readonly Box[]
  roof: number
  /** The smallest zoom that the camera can have. */
  smallest: number
  /** The boxes of the controls, in CSS pixels. */
  controls: readonly Box[]
}

/**
 * The view that shows seen.part in the middle of the screen. If controls cover houses there, it tries other areas of
 * the screen too, and returns the view with the fewest covered houses; of several such views, the largest zoom.
 */
export function clearView(seen: Seen): View {
  const { screen, ratio, controls } = seen
  const whole = { left: 0, top: 0, right: screen.width, bottom: screen.height }
  const over = controls.map((b) => scaled(b, ratio)).filter((b) => overlaps(b, whole))
  const covered = (view: View): number => {
    const name = (NAME * ratio) / view.zoom
    const above = Math.max(seen.roof, (MARK * ratio) / view.zoom)
    return seen.houses.filter((h) => {
      const [from, to] = [
        toScreen(view, screen, h.left, h.top - above),
        toScreen(view, screen, h.right, h.bottom + name),
      ]
      const box = { left: from.x, top: from.y, right: to.x, bottom: to.y }
      return over.some((b) => overlaps(b, box)) || to.y > screen.height || from.y < 0
    }).length
  }
  let best = viewIn(seen, whole)
  let least = covered(best)
  if (least === 0) return best
  for (const area of areas(screen, over, ratio)) {
    const view = viewIn(seen, area)
    const n = covered(view)
    if (view.zoom < seen.smallest || n > least || (n === least && view.zoom <= best.zoom)) continue
    best = view
    least = n
  }
  return best
}

/** The view that shows the part in the middle of an area of the screen. */
function viewIn({ screen, ratio, part }: Seen, area: Box): View {
  const size = { width: area.right - area.left, height: area.bottom - area.top }
  const zoom = beginZoom(size, { width: part.right - part.left, height: part.bottom - part.top }, ratio)
  return {
    x: (part.left + part.right) / 2 - ((area.left + area.right) / 2 - screen.width / 2) / zoom,
    y: (part.top + part.bottom) / 2 - ((area.top + area.bottom) / 2 - screen.height / 2) / zoom,
    zoom,
  }
}

/**
 * The areas of the screen between the controls at its edges, each also without a strip at the top that has space for
 * marks.
 */
function areas({ width, height }: Size, over: readonly Box[], ratio: number): Box[] {
  const [edge, gap] = [EDGE * ratio, GAP * ratio]
  const lefts = distinct([0, ...over.filter((b) => b.left < edge).map((b) => b.right + gap)])
  const below = distinct([0, ...over.filter((b) => b.top < edge).map((b) => b.bottom + gap)])
  const tops = below.flatMap((top) => [top, top + MARK * ratio])
  const rights = distinct([width, ...over.filter((b) => b.right > width - edge).map((b) => b.left - gap)])
  const bottoms = distinct([height, ...over.filter((b) => b.bottom > height - edge).map((b) => b.top - gap)])
  return lefts
    .flatMap((left) => tops.map((top) => ({ left, top })))
    .flatMap((at) => rights.map((right) => ({ ...at, right })))
    .flatMap((at) => bottoms.map((bottom) => ({ ...at, bottom })))
    .filter((a) => a.right - a.left >= LEAST * width && a.bottom - a.top >= LEAST * height)
}

/**
 * The edges without repetitions. areas tries every combination of edges, so a repeated edge would multiply its work.
 */
function distinct(edges: readonly number[]): number[] {
  return [...new Set(edges)]
}

function scaled({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left * by, top: top * by, right: right * by, bottom: bottom * by }
}
