// The movement of the director's camera: fast at first, and slower near its aim. Pure.
import type { View } from '../canvas/view'

/** In this time, in milliseconds, the camera covers about two thirds of the remaining distance. */
const TIME_MS = 380
/**
 * The distance below which the camera counts as arrived, in pixels of the screen, and the same for the zoom as a
 * fraction.
 */
const NEAR = 0.5
const NEAR_ZOOM = 0.004

/** The view after ms milliseconds on the way to another view. still: returns the other view at once. */
export function approach(from: View, to: View, ms: number, still: boolean): View {
  const part = 1 - Math.exp(-ms / TIME_MS)
  const zoom = from.zoom * (to.zoom / from.zoom) ** part
  const away = Math.hypot(to.x - from.x, to.y - from.y) * to.zoom
  if (still || (away < NEAR && Math.abs(to.zoom / from.zoom - 1) < NEAR_ZOOM)) return to
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part, zoom }
}
