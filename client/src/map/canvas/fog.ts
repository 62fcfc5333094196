// The fog over the country: how dark each tile is. Unexplored land is cool and dark, but its ground and its houses
// are visible.
import { COUNTRY_SIDE } from '../../state/grid'
import type { Lamp, Rgba } from './light'
import { Shade, shine } from './light'
import { COVER, lift, NEVER, SEEN, soften } from './visibility'
import { mix, type Tones } from './palette'

/** The minimum time between two steps of the fog, in milliseconds. Each step repaints the ground, which takes long. */
const STEP_MS = 125

export class Fog {
  readonly shade = new Shade()
  readonly #covers = new Float32Array(COUNTRY_SIDE * COUNTRY_SIDE).fill(COVER[NEVER])
  readonly #lit = new Float32Array(COUNTRY_SIDE * COUNTRY_SIDE)
  #lamps: readonly Lamp[] = []
  /** For each tile its opacity, an index into #colours. */
  readonly #dark = new Uint8Array(COUNTRY_SIDE * COUNTRY_SIDE)
  /** The colour of each opacity in the current tones. */
  #colours: Rgba[] = []
  #tones: Tones | null = null
  #first = true
  #waited = 0
  /** The time that the current step covers, in milliseconds. */
  #step = 0

  /** Adds the time since the last frame. Returns whether the next step is due. */
  due(ms: number): boolean {
    this.#waited += ms
    if (!this.#first && this.#waited < STEP_MS) return false
    this.#step = this.#waited
    this.#waited = 0
    return true
  }

  /**
   * Moves the opacity of each tile one step towards its state. still: moves all the way in this step; so does the
   * first call. Returns whether another step is needed.
   */
  show(states: Uint8Array, lamps: readonly Lamp[], tones: Tones, still: boolean): boolean {
    const moving = lift(this.#covers, states, this.#first || still ? 1e9 : this.#step)
    this.#first = false
    const soft = soften(this.#covers, COUNTRY_SIDE)
    if (lamps !== this.#lamps) {
      this.#lamps = lamps
      this.#lit.fill(0)
      shine(this.#lit, COUNTRY_SIDE, COUNTRY_SIDE, lamps)
    }
    if (tones !== this.#tones) {
      this.#tones = tones
      this.#colours = Array.from({ length: COVER[NEVER] + 1 }, (_, covered) => shadeOf(covered, tones))
    }
    for (let i = 0; i < soft.length; i++) this.#dark[i] = Math.round(soft[i]!)
    this.shade.set(COUNTRY_SIDE, COUNTRY_SIDE, this.#colours, this.#dark, this.#lit, tones.lamp)
    return moving
  }
}

/** The colour for an opacity of the fog, interpolated between the tones of the three states. */
function shadeOf(covered: number, { watched, seen, unseen }: Tones): Rgba {
  const [from, to, part] =
    covered < COVER[SEEN]
      ? [watched, seen, covered / COVER[SEEN]]
      : [seen, unseen, (covered - COVER[SEEN]) / (COVER[NEVER] - COVER[SEEN])]
  return mix(from, to, part)
}
