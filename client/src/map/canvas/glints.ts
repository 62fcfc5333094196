// Glints on the water of the country. They are cached, because there can be thousands of tiles of water, and a glint
// stays for several frames. The time is a parameter.
import { COUNTRY_SIDE } from '../../state/grid'
import type { Sprite } from './sprite'
import { scatter, TILE, unpack, WATER } from './terrain'
import { isSameBox, meets, type Box } from './view'

/** How long a glint stays, in milliseconds. */
const TURN_MS = 640
/** One of this many tiles has a glint, or one of more if there would be more glints than GLINTS. */
const SPREAD = 13
const GLINTS = 40

/** A tile of water. */
interface Tile {
  x: number
  y: number
}

export class Glints {
  #water: readonly Tile[] = []
  /** The sprites of one turn, and what they were computed from. */
  #last: { turn: number; seen: Box; sprites: Sprite[] } | null = null

  /** Sets the land on which the glints are. */
  show(looks: Uint16Array): void {
    this.#last = null
    const water: Tile[] = []
    looks.forEach((look, i) => {
      if (unpack(look).tile === WATER) water.push({ x: i % COUNTRY_SIDE, y: Math.floor(i / COUNTRY_SIDE) })
    })
    this.#water = water
  }

  /** The glints on the visible water, spread over all of it. */
  sprites(seen: Box, now: number): Sprite[] {
    const turn = Math.floor(now / TURN_MS)
    const last = this.#last
    if (last?.turn === turn && isSameBox(last.seen, seen)) return last.sprites
    const visible = this.#water.filter(({ x, y }) => meets(seen, x * TILE, y * TILE, TILE, TILE))
    const spread = Math.max(SPREAD, Math.ceil(visible.length / GLINTS))
    const sprites = visible.flatMap((tile) => glint(tile, turn, spread))
    this.#last = { turn, seen, sprites }
    return sprites
  }
}

function glint({ x, y }: Tile, turn: number, spread: number): Sprite[] {
  const n = scatter(x, y, turn + (scatter(x, y) % 3))
  if (n % spread !== 0) return []
  const [px, py] = [(x + 0.5) * TILE + ((n >>> 5) % 5) - 2, (y + 0.4) * TILE + ((n >>> 9) % 8)]
  return [{ piece: `glint.${(n >>> 12) % 3}`, x: px, y: py, depth: 0 }]
}
