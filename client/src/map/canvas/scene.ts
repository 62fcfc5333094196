// The interface between the drawn map (stage.ts) and a scene. A scene is the country or a room.
import type { RealmModel } from '../../state/model'
import type { Pen } from './atlas'
import type { Frame } from './backdrop'
import type { Camera } from './camera'
import type { Pace } from './frames'
import type { HeroNow } from './heroes-now'
import type { Tag } from './overlay'
import type { Tones } from './palette'
import type { Pick } from './picking'
import type { Box, Screen, Size, View } from './view'

/** The input of one frame. */
export interface Moment {
  realm: RealmModel
  /** All heroes, in every room and in the country. */
  heroes: readonly HeroNow[]
  /** A number that is higher by 1 in each frame in which the place, name, colour or words of a hero have changed. */
  stirs: number
  /** now: the page's clock. ms: the time since the last frame. Both are in milliseconds. */
  now: number
  ms: number
  /** Whether motion is turned off. */
  calm: boolean
  /** The thing under the mouse pointer; null for none. */
  hover: Pick | null
  /** The path of the marked file; '' for none. */
  marked: string
  tones: Tones
}

export interface Scene {
  /** The size of the whole scene, in pixels of the map. */
  readonly world: Size
  /** The part that the camera shows at the first visit. controls: where controls cover the screen, in CSS pixels. */
  begin(m: Moment, screen: Size, ratio: number, controls: readonly Box[]): View
  /** Draws the whole screen. Returns how soon the next frame is needed. */
  draw(g: Pen, camera: Camera, m: Moment): Pace
  /** Draws a part of the map with the given heroes, without light and fog, for a small picture. */
  glimpse(g: Pen, frame: Frame, m: Moment, heroes: readonly HeroNow[]): void
  /** The names and speech bubbles over the drawing. */
  tags(camera: Camera, m: Moment, screen: Screen): Tag[]
  /** The thing at a point in tiles. */
  pick(m: Moment, x: number, y: number): Pick | null
  /** The hero with the position at which the scene draws it; null if the scene does not draw it. */
  placed(h: HeroNow): HeroNow | null
}
