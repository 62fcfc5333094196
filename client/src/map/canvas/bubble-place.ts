// Where the speech bubble of a hero stands: above the head or, where the view ends there, beside or below the hero. It
// never covers the hero that speaks. Pure.
import { overlaps, type Box, type Screen, type Size } from './view'

/** The area of the zoom buttons in the lower left corner. */
const BUTTONS: Size = { width: 60, height: 116 }
/** The minimum distance of a bubble from the edges of the screen and from a hero beside it. */
const EDGE = 4
/** A bubble beside a hero is at least this wide, in CSS pixels, where the screen has less space than the text needs. */
const NARROW = 100
/** The cost of a place where the bubble is not shown, as a number of covered heroes. One that is cut off is worse. */
const BAD = 100

/** The speaker, and the lower edge of its name. */
interface Speaker extends Box {
  foot: number
}

/**
 * sized: the size of the bubble with a maximum width. others: what the bubble should not cover if it does not stand
 * above the speaker.
 */
export function bubbleBox(
  speaker: Speaker,
  sized: (most: number) => Size,
  screen: Screen,
  others: readonly Box[],
): Box {
  const whole = sized(Infinity)
  const middle = (speaker.left + speaker.right - whole.width) / 2
  if (speaker.top >= whole.height + EDGE) return within(boxAt(middle, speaker.top - whole.height, whole), screen)
  const [left, right] = [speaker.left - EDGE, speaker.right + EDGE]
  const [before, behind] = [left - EDGE, screen.width - EDGE - right].map((most) => sized(Math.max(NARROW, most)))
  const top = ({ height }: Size) => Math.max(EDGE, speaker.bottom - height)
  const places = [
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
