// Whether this browser can draw the map: it needs a canvas with a 2D context.

let drawable: boolean | undefined

/** Tested once, because each test creates a canvas. */
export function canDraw(): boolean {
  if (drawable === undefined) {
    try {
      drawable = document.createElement('canvas').getContext('2d') !== null
    } catch {
      drawable = false
    }
  }
  return drawable
}
