// Whether the map is drawn: the browser needs a canvas with a 2D context, and the person can choose the list.
import type { SafeStorage } from '../identity/storage'

/** The storage key of the form of the map: 'list', or else the drawing. */
export const MAP_FORM = 'map'

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

/** Whether this browser shows the map as a drawing. */
export function drawsMap(storage: SafeStorage): boolean {
  return canDraw() && storage.get(MAP_FORM) !== 'list'
}
