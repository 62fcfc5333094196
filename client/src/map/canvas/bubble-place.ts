// Where the speech bubble of a hero stands: above the head or, where the view ends there or another hero stands there,
// beside or below the hero. It never covers the hero that speaks. Pure.
import { overlaps, type Box, type Screen, type Size } from './view'

/** The size of the zoom buttons in the lower left corner, in CSS pixels. */
const BUTTONS: Size = { width: 60, height: 116 }
/** The minimum distance of a bubble from the edges of the screen and from a hero beside it, in CSS pixels. */
const EDGE = 4
/**
 * The smallest width, in CSS pixels, at which a bubble beside a hero wraps its text, also if the screen has less
 * space.
 */
const NARROW = 100
/**
 * The cost of a place where a control or a mark of the map covers the bubble. A covered hero costs 1. A place where the
 * edge of the screen cuts the bubble off costs twice as much as BAD.
 */
const BAD = 100

/** The box of the hero that speaks. foot: the lower edge of the hero's name. */
interface Speaker extends Box {
  foot: number
}

/**
 * Returns the box of the speaker's bubble. sized: returns the size of the bubble for a maximum width. others: the
 * boxes that the bubble should not cover.
 */
export function bubbleBox(
  speaker: Speaker,
  sized: (most: number) => Size,
  screen: Screen,
  others: readonly Box[],
): Box {
  const whole = sized(Infinity)
  const middle = (speaker.left + speaker.right - whole.width) / 2
  const above = within(boxAt(middle, speaker.top - whole.height, whole), screen)
  const fits = speaker.top >= whole.height + EDGE
  if (fits && !others.some((o) => overlaps(o, above))) return above
  const [left, right] = [speaker.left - EDGE, speaker.right + EDGE]
  const [before, behind] = [left - EDGE, screen.width - EDGE - right].map((most) => sized(Math.max(NARROW, most)))
  const top = ({ height }: Size) => Math.max(EDGE, speaker.bottom - height)
  const places = [
    ...(fits ? [above] : []),
    boxAt(right, top(behind!), behind!),
    boxAt(left - before!.width, top(before!), before!),
    within(boxAt(middle, speaker.foot, whole), screen),
  ]
  const costs = places.map((p) => cost(p, screen, others))
  return places[costs.indexOf(Math.min(...costs))]!
}

function boxAt(left: number, top: number, { width, height }: Size): Box {
  return { left, right: left + width, top, bottom: top + height }
}

function cost(b: Box, screen: Screen, others: readonly Box[]): number {
  const seen = b.left >= EDGE && b.right <= screen.width - EDGE && b.bottom <= screen.height - EDGE
  const free = !(screen.taken ?? []).some((t) => overlaps(t, b))
  return (seen ? 0 : 2 * BAD) + (free ? 0 : BAD) + others.filter((o) => overlaps(o, b)).length
}

/** Moves a bubble down and to the side so that it lies within the screen and not over the zoom buttons. */
export function within(b: Box, screen: Size): Box {
  const down = Math.max(0, EDGE - b.top)
  const bottom = b.bottom + down
  const least = bottom > screen.height - BUTTONS.height ? BUTTONS.width : EDGE
  const left = Math.max(Math.min(b.left, screen.width - EDGE - (b.right - b.left)), least)
  return { left, right: left + b.right - b.left, top: b.top + down, bottom }
}
