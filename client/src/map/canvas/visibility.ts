// The three states of fog: never seen, seen, watched. Pure.
import { COUNTRY_SIDE } from '../../state/grid'

export const NEVER = 0
export const SEEN = 1
export const WATCHED = 2

/** The distance up to which a hero sees the land, in tiles. */
const SIGHT_RADIUS = 8

/** How opaque the fog is in each of the three states, from 0 to 255. */
export const COVER = [200, 100, 0] as const

/** How long fog takes to lift, in milliseconds. */
const LIFT_MS = 500

/** The state of each tile: explored tiles are seen, tiles near a hero or the keep are watched. */
export function visibility(
  explored: Uint8Array | null,
  watchers: readonly { x: number; y: number; radius?: number }[],
  side = COUNTRY_SIDE,
): Uint8Array {
  const out = new Uint8Array(side * side)
  if (explored) for (let i = 0; i < out.length; i++) if (explored[i]) out[i] = SEEN
  for (const w of watchers) {
    const r = w.radius ?? SIGHT_RADIUS
    const cx = Math.round(w.x)
    const cy = Math.round(w.y)
    for (let y = Math.max(0, cy - r); y <= Math.min(side - 1, cy + r); y++) {
      for (let x = Math.max(0, cx - r); x <= Math.min(side - 1, cx + r); x++) {
        if ((x - cx) ** 2 + (y - cy) ** 2 <= r * r + r) out[y * side + x] = WATCHED
      }
    }
  }
  return out
}

/**
 * If any tile of a thing is visible, makes all its tiles and its roof as visible as its most visible tile, so that no
 * thing is drawn in part.
 */
export function revealWhole(
  states: Uint8Array,
  things: readonly { x: number; y: number; width: number; height: number }[],
  side = COUNTRY_SIDE,
): Uint8Array {
  for (const t of things) {
    const tiles: number[] = []
    let best = NEVER
    for (let y = Math.max(0, t.y - 2); y < Math.min(side, t.y + t.height); y++) {
      for (let x = Math.max(0, t.x); x < Math.min(side, t.x + t.width); x++) {
        tiles.push(y * side + x)
        if (y >= t.y) best = Math.max(best, states[y * side + x]!)
      }
    }
    for (const i of tiles) states[i] = Math.max(states[i]!, best)
  }
  return states
}

/** Moves the opacity of each tile towards its state. Returns whether any has not reached it yet. */
export function lift(covers: Float32Array, states: Uint8Array, ms: number): boolean {
  const step = (COVER[NEVER] * ms) / LIFT_MS
  let moving = false
  for (let i = 0; i < covers.length; i++) {
    const to = COVER[states[i] as 0 | 1 | 2]
    const at = covers[i]!
    if (at === to) continue
    covers[i] = Math.abs(to - at) <= step ? to : at + Math.sign(to - at) * step
    if (covers[i] !== to) moving = true
  }
  return moving
}

/** Blurs the opacities: each becomes the mean of the opacities around it. */
export function soften(covers: Float32Array, side: number): Float32Array {
  return blur(blur(covers, side, 1), side, side)
}

/** The radius of the blur, in tiles. */
const SOFT = 2

/** Blurs in one direction: along rows with a step of 1, along columns with a step of side. */
function blur(from: Float32Array, side: number, step: number): Float32Array {
  const out = new Float32Array(from.length)
  const across = step === 1 ? side : 1
  for (let line = 0; line < side; line++) {
    const first = line * across
    let sum = 0
    let n = 0
    for (let at = -SOFT; at < side; at++) {
      if (at + SOFT < side) {
        sum += from[first + (at + SOFT) * step]!
        n++
      }
      if (at > SOFT) {
        sum -= from[first + (at - SOFT - 1) * step]!
        n--
      }
      if (at >= 0) out[first + at * step] = sum / n
    }
  }
  return out
}
