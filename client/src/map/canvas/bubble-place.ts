// Where the speech bubble of a hero stands: above the head or, where the view ends there, beside or below the hero. It
// never covers the hero that speaks. Pure.
import { overlaps, type Box, type Screen, type Size } from './view'

/** The area of the zoom buttons in the lower left corner. */
const BUTTONS: Size = { width: 60, height: 116 }
/** The minimum distance of a bubble from the edges of the screen and from a hero beside it. */
const EDGE = 4
/** The cost of a place where the bubble would be cut off or not shown, as a number of covered heroes. */
const BAD = 100

/** The speaker, and the lower edge of its name. */
interface Speaker extends Box {
  foot: number
}

/** others: what the bubble should not cover if it does not stand above the speaker. */
export function bubbleBox(speaker: Speaker, size: Size, screen: Screen, others: readonly Box[]): Box {
  const { width, height } = size
  const middle = (speaker.left + speaker.right) / 2 - width / 2
  const at = (left: number, top: number): Box => ({ left, right: left + width, top, bottom: top + height })
  if (speaker.top >= height + EDGE) return within(at(middle, speaker.top - height), screen)
  const top = Math.max(EDGE, speaker.bottom - height)
  const places = [
    at(speaker.right + EDGE, top),
    at(speaker.left - EDGE - width, top),
    within(at(middle, speaker.foot), screen),
  ]
  const costs = places.map((p) => cost(p, screen, others))
  return places[costs.indexOf(Math.min(...costs))]!
}

function cost(b: Box, screen: Screen, others: readonly Box[]): number {
  const seen = b.left >= EDGE && b.right <= screen.width - EDGE && b.bottom <= screen.height - EDGE
  const free = !(screen.taken ?? []).some((t) => overlaps(t, b))
  return (seen ? 0 : BAD) + (free ? 0 : BAD) + others.filter((o) => overlaps(o, b)).length
}

/** Moves a bubble down and to the side so that it lies within the screen and not over the zoom buttons. */
export function within(b: Box, screen: Size): Box {
  const down = Math.max(0, EDGE - b.top)
  const bottom = b.bottom + down
  const least = bottom > screen.height - BUTTONS.height ? BUTTONS.width : EDGE
  const left = Math.max(Math.min(b.left, screen.width - EDGE - (b.right - b.left)), least)
  return { left, right: left + b.right - b.left, top: b.top + down, bottom }
}
