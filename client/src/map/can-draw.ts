// Whether the map is shown as a drawing. The drawing needs a browser with a 2D canvas, and a person can choose the
// list instead.
import type { SafeStorage } from '../identity/storage'

/**
 * The storage key of the choice between list and drawing. The value 'list' means the list; anything else means the
 * drawing.
 */
export const MAP_FORM = 'map'

let drawable: boolean | undefined

/** Whether the browser can draw on a canvas. This is tested once, because each test creates a canvas. */
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

/** Whether this browser shows the map as a drawing. */
export function drawsMap(storage: SafeStorage): boolean {
  return canDraw() && storage.get(MAP_FORM) !== 'list'
}
