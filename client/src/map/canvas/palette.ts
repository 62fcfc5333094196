// The colours of LOOK.md for the canvas. The colours of the rest of the page are in styles/tokens.css.
import type { Severity } from '../../state/findings'
import type { Rgba } from './light'

export const NIGHT_STYLE = '#0d0f1a'
export const SHADE = 'rgba(13, 15, 26, 0.35)'

/** The colours of banners and marks for each severity, the same in both themes. director.css repeats them. */
export const SEVERITY: Readonly<Record<Severity, string>> = {
  info: '#a9adc4',
  low: '#4aa3df',
  medium: '#ffd27a',
  high: '#f2a044',
  critical: '#e5534b',
}

/** The colours of the shade over the drawing, by visibility and light. */
export interface Tones {
  unseen: Rgba
  seen: Rgba
  watched: Rgba
  /** The colour beside a lamp. */
  lamp: Rgba
  /** The colour in a room, away from lamps. */
  indoors: Rgba
  /** The CSS colour around a room. */
  beyond: string
}

/** The tones by day on a dark page; NIGHT has those by night. */
const DAY: Tones = {
  unseen: [17, 22, 50, 124],
  seen: [19, 24, 50, 76],
  watched: [40, 34, 40, 10],
  lamp: [255, 214, 140, 22],
  indoors: [17, 21, 44, 58],
  beyond: NIGHT_STYLE,
}
const NIGHT: Tones = {
  unseen: [12, 16, 44, 166],
  seen: [13, 18, 48, 122],
  watched: [24, 24, 50, 52],
  lamp: [255, 196, 110, 34],
  indoors: [14, 17, 40, 72],
  beyond: NIGHT_STYLE,
}
/** The tones on a light page, which has mist instead of darkness. */
const LIGHT: Tones = {
  unseen: [222, 218, 206, 96],
  seen: [232, 226, 210, 50],
  watched: [255, 250, 232, 0],
  lamp: [255, 236, 190, 26],
  indoors: [244, 236, 216, 62],
  beyond: '#d7d3c8',
}

/** How much night there is at an hour of the day, from 0 (day) to 1 (night). Dusk and dawn take two hours each. */
export function nightAt(hour: number): number {
  const dusk = Math.min(1, Math.max(0, (hour - 19) / 2))
  const dawn = Math.min(1, Math.max(0, (7 - hour) / 2))
  return Math.max(dusk, dawn)
}

/** Interpolates between two colours. part: 0 returns the first, 1 the second. */
export function mix(a: Rgba, b: Rgba, part: number): Rgba {
  return [0, 1, 2, 3].map((k) => a[k]! + (b[k]! - a[k]!) * part) as unknown as Rgba
}

/** The tones on a light or dark page at an hour of the day. */
export function tonesAt(light: boolean, hour: number): Tones {
  if (light) return LIGHT
  const part = nightAt(hour)
  return {
    unseen: mix(DAY.unseen, NIGHT.unseen, part),
    seen: mix(DAY.seen, NIGHT.seen, part),
    watched: mix(DAY.watched, NIGHT.watched, part),
    lamp: mix(DAY.lamp, NIGHT.lamp, part),
    indoors: mix(DAY.indoors, NIGHT.indoors, part),
    beyond: NIGHT_STYLE,
  }
}

/** A member's colour if it is valid, else a parchment colour. */
export function tint(color: string): string {
  return /^#[0-9a-f]{6}$/i.test(color) ? color : '#d7d3c8'
}
