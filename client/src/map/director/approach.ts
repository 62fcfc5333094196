// How the director's camera moves: fast at first, and slower the nearer it is. Pure.
import type { View } from '../canvas/view'

/** In this time, in milliseconds, the camera goes about two thirds of the way that is left. */
const TIME_MS = 380
/** The distance and the part of the zoom below which the camera is there, in pixels of the screen. */
const NEAR = 0.5
const NEAR_ZOOM = 0.004

/** The view after ms milliseconds on the way to another one. still: there is no way, only its end. */
export function approach(from: View, to: View, ms: number, still: boolean): View {
  const part = 1 - Math.exp(-ms / TIME_MS)
  const zoom = from.zoom * (to.zoom / from.zoom) ** part
  const away = Math.hypot(to.x - from.x, to.y - from.y) * to.zoom
  if (still || (away < NEAR && Math.abs(to.zoom / from.zoom - 1) < NEAR_ZOOM)) return to
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part, zoom }
}
