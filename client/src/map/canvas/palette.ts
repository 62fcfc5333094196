// The colours of LOOK.md for the canvas. The colours of the rest of the page are in styles/tokens.css.
import type { Rgba } from './light'

export const NIGHT_STYLE = '#0d0f1a'
export const FOAM = 'rgba(155, 227, 240, 0.35)'
export const SHADE = 'rgba(13, 15, 26, 0.35)'
export const FLOOR_EDGE = 'rgba(255, 210, 122, 0.10)'

/** What is laid over the drawing, by how much of it is known and lit. */
export interface Tones {
  unseen: Rgba
  seen: Rgba
  watched: Rgba
  /** Beside a lamp. */
  lamp: Rgba
  /** In a room, away from lamps. */
  indoors: Rgba
}

export const DARK: Tones = {
  unseen: [17, 22, 50, 148],
  seen: [19, 24, 50, 92],
  watched: [40, 34, 40, 16],
  lamp: [255, 214, 140, 26],
  indoors: [17, 21, 44, 104],
}

/** A member's colour; parchment if it is invalid. */
export function tint(color: string): string {
  return /^#[0-9a-f]{6}$/i.test(color) ? color : '#d7d3c8'
}
