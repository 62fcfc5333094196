// The caravan of a commit: a wagon goes from each changed house, at most three, to the keep. It depends on nothing
// but its arguments and the wagons that it stores.
import type { MapChanged, Point, World } from '../../net/protocol.gen'
import type { Sprite } from './sprite'
import { siteOf, TILE } from './terrain'
import { wayOver } from './ways'

/** How long a wagon takes for a tile, in milliseconds. */
const TILE_MS = 170
const MOST = 3

interface Wagon {
  path: Point[]
  began: number
}

export class Caravans {
  #seen: MapChanged | null | undefined
  #wagons: Wagon[] = []

  /**
   * Starts wagons if the newest change of the map is a commit. Ignores the change that is there at the first call,
   * because it is old.
   */
  hear(moment: MapChanged | null, world: Pick<World, 'country' | 'forts'>, now: number): void {
    const was = this.#seen
    this.#seen = moment
    if (was === undefined || was === moment || moment?.moment !== 'commit') return
    const keep = world.country.sites.find((s) => s.path === '')
    if (!keep) return
    const sites = new Set(moment.folders.map((f) => siteOf(world.country.sites, f)))
    const ways = [...sites].flatMap((s) => {
      const path = s && s.path !== '' ? wayOver(world, [s.doorX, s.doorY], [keep.doorX, keep.doorY]) : null
      return path ? [{ path, began: now }] : []
    })
    this.#wagons = [...this.#wagons, ...ways].slice(-MOST)
  }

  /** The sprites of the wagons that are on their way at the time now. */
  sprites(now: number): Sprite[] {
    this.#wagons = this.#wagons.filter((w) => now < w.began + (w.path.length - 1) * TILE_MS)
    return this.#wagons.map((w) => wagonSprite(w, now))
  }
}

function wagonSprite({ path, began }: Wagon, now: number): Sprite {
  const at = Math.max(0, now - began) / TILE_MS
  const i = Math.min(path.length - 2, Math.floor(at))
  const [from, to] = [path[i]!, path[i + 1]!]
  const part = at - i
  // A wagon that goes straight north or south faces the side on which its way ends.
  const left = (to[0] === from[0] ? path.at(-1)![0] : to[0]) < from[0]
  return {
    piece: `caravan.${left ? 'left' : 'right'}.${Math.floor(now / 200) % 2}`,
    x: Math.round((from[0] + (to[0] - from[0]) * part + 0.5) * TILE),
    y: Math.round((from[1] + (to[1] - from[1]) * part + 1) * TILE),
  }
}
