// What the stage needs of a scene: the country, or a room.
import type { RealmModel } from '../../state/model'
import type { Pen } from './atlas'
import type { Camera } from './camera'
import type { Pace } from './frames'
import type { HeroNow } from './heroes-now'
import type { Tag } from './overlay'
import type { Tones } from './palette'
import type { Pick } from './picking'
import type { Screen, Size, View } from './view'

/** What is drawn at one point in time. */
export interface Moment {
  realm: RealmModel
  /** All heroes, wherever they are. */
  heroes: readonly HeroNow[]
  /** The page's clock, and the milliseconds since the last frame. */
  now: number
  ms: number
  /** Whether motion is turned off. */
  calm: boolean
  /** What the pointer is on; null for nothing. */
  hover: Pick | null
  /** The path of the file to which the person was led; '' for none. */
  marked: string
  tones: Tones
}

export interface Scene {
  /** In pixels of the world. */
  readonly world: Size
  /** What the camera shows when the scene is shown for the first time. */
  begin(m: Moment, screen: Size, ratio: number): View
  /** Draws the whole screen, and says how soon to draw it again. */
  draw(g: Pen, camera: Camera, m: Moment): Pace
  /** The names and speech bubbles over the drawing. */
  tags(camera: Camera, m: Moment, screen: Screen): Tag[]
  /** What is at a point, in tiles. */
  pick(m: Moment, x: number, y: number): Pick | null
  /** A hero at the place where the scene draws it; null if it is not drawn. */
  placed(h: HeroNow): HeroNow | null
}
