// The colours of LOOK.md for the canvas. The colours of the rest of the page are in styles/tokens.css.
export const NIGHT = 0x0d0f1a
export const NIGHT_STYLE = '#0d0f1a'
export const NIGHT_RGB = [13, 15, 26] as const
/** The outlines of houses in unexplored land. */
export const CONTOUR_RGB = [25, 29, 45] as const
export const FOAM = 'rgba(155, 227, 240, 0.35)'
export const SHADE = 'rgba(13, 15, 26, 0.35)'
export const FLOOR_EDGE = 'rgba(255, 210, 122, 0.10)'

/** A member's colour as a number; parchment if it is invalid. */
export function tint(color: string): number {
  const m = /^#([0-9a-f]{6})$/i.exec(color)
  return m ? parseInt(m[1]!, 16) : 0xd7d3c8
}
