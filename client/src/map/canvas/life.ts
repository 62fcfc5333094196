// Animated details: flames, smoke, animals, birds, clouds and rain. Pure: the time is a parameter. Each list is short,
// because all of it is drawn several times a second.
import type { Fort, Site } from '../../net/protocol.gen'
import { COUNTRY_SIDE } from '../../state/grid'
import type { Sprite } from './sprite'
import { BIOMES, GRASS, scatter, TILE, unpack } from './terrain'
import { meets, type Box } from './view'

/** The maximum numbers of animals and of drops of rain. */
const ANIMALS = 26
const DROPS = 46

/** How far above the ground the torches beside a door are, in pixels. The sprite has their distance (scripts/art). */
const GATES = { house: 10, keep: 15 } as const
/** The number of pictures of a chimney's smoke (scripts/art/life.go), and how long each is shown, in milliseconds. */
const PLUME = 12
const PLUME_MS = 100

/** The two flames beside the door of each house. */
export function torchSprites(sites: readonly Site[], now: number): Sprite[] {
  return sites.map((s, i) => {
    const bottom = (s.y + s.height) * TILE
    const kind = s.path === '' ? 'keep' : 'house'
    const frame = (Math.floor(now / 190) + i * 2) % 3
    const x = Math.round((s.x + s.width / 2) * TILE)
    return { piece: `torches.${kind}.${frame}`, x, y: bottom - GATES[kind], depth: bottom + 1 }
  })
}

/** The fires in forts that are camps. */
export function fireSprites(forts: readonly Fort[], now: number): Sprite[] {
  return forts.flatMap((f, i) =>
    f.stage > 2
      ? []
      : [
          {
            piece: `flame.${(Math.floor(now / 170) + i) % 3}`,
            x: (f.x + 0.5) * TILE + (f.stage > 1 ? 18 : 0),
            y: (f.y + 3) * TILE - 23,
            depth: (f.y + 3) * TILE + 1,
          },
        ],
  )
}

/** Smoke from the chimneys of houses: three puffs, which are one sprite. */
export function smokeSprites(sites: readonly Site[], now: number): Sprite[] {
  return sites
    .filter((s) => s.path !== '')
    .map((s) => {
      const width = s.width >= 5 ? 80 : s.width >= 4 ? 64 : 48
      const bottom = (s.y + s.height) * TILE
      return {
        piece: `plume.${(Math.floor(now / PLUME_MS) + scatter(s.x, s.y, 2)) % PLUME}`,
        x: Math.round((s.x + s.width / 2) * TILE + width / 2 - 8),
        y: bottom - width - 12,
        depth: bottom + 2,
      }
    })
}

/** The home of an animal and its kind. */
export interface Animal {
  kind: string
  x: number
  y: number
  salt: number
}

/** Animals on meadows away from houses, by biome. */
export function animals(looks: Uint16Array, sites: readonly Site[]): Animal[] {
  const out: Animal[] = []
  for (let k = 0; k < ANIMALS * 12 && out.length < ANIMALS; k++) {
    // The positions are near the middle of the country, because most houses are there.
    const x = 24 + (scatter(k, 11) % 72)
    const y = 24 + (scatter(k, 12) % 72)
    const { tile, biome, road } = unpack(looks[y * COUNTRY_SIDE + x] ?? 0)
    if (tile !== GRASS || road > 0) continue
    if (sites.some((s) => meets(boxAround(s), x, y, 1, 1))) continue
    const kind = FAUNA[BIOMES.indexOf(biome)] ?? 'rabbit'
    out.push({ kind: k % 4 === 3 ? 'butterfly' : kind, x, y, salt: k })
  }
  return out
}

const FAUNA = ['rabbit', 'rabbit', 'sheep', 'sheep', 'butterfly', 'butterfly']

function boxAround(s: Site): Box {
  return { left: s.x - 1, right: s.x + s.width + 1, top: s.y - 3, bottom: s.y + s.height + 2 }
}

/**
 * STAY_MS: the time from one walk of an animal to the next; a third of it for a butterfly. WALK_MS: how long a walk
 * lasts. Both are in milliseconds.
 */
const STAY_MS = 5200
const WALK_MS = 1500

export function animalSprites(list: readonly Animal[], now: number): Sprite[] {
  return list.map(({ kind, x, y, salt }) => {
    const quick = kind === 'butterfly' ? 3 : 1
    const at = (now + salt * 977) / (STAY_MS / quick)
    const turn = Math.floor(at)
    const goal = (k: number): { x: number; y: number } => ({
      x: x + (scatter(salt, k, 21) % 40) / 20 - 1,
      y: y + (scatter(salt, k, 22) % 40) / 20 - 1,
    })
    const [from, to] = [goal(turn), goal(turn + 1)]
    const part = Math.min(1, ((at - turn) * STAY_MS) / quick / WALK_MS)
    const step = part < 1 ? Math.floor(now / 180) % 2 : 0
    return {
      piece: `${kind}.${to.x < from.x ? 'left' : 'right'}.${step}`,
      x: Math.round((from.x + (to.x - from.x) * part) * TILE),
      y: Math.round((from.y + (to.y - from.y) * part) * TILE),
    }
  })
}

const SIDE = COUNTRY_SIDE * TILE

/** Birds that cross the country, above everything else. */
export function birdSprites(now: number): Sprite[] {
  return [0, 1, 2, 3].map((k) => {
    const along = (now / (26 + k * 3) + k * 733) % (SIDE + 400)
    const right = k % 2 === 0
    return {
      piece: `bird.${right ? 'right' : 'left'}.${Math.floor(now / 220 + k) % 2}`,
      x: Math.round(right ? along - 200 : SIDE + 200 - along),
      y: Math.round(
        700 + (scatter(k, Math.floor((now / 26 + k * 733) / (SIDE + 400)), 31) % 600) + Math.sin(along / 60) * 14,
      ),
      depth: Infinity,
    }
  })
}

export type Weather = 'clear' | 'clouds' | 'rain'

/** The weather at a time in hours since 1970. All pages show the same weather in the same hour. */
export function weatherAt(hours: number): Weather {
  const n = scatter(Math.floor(hours), 5, 41) % 10
  return n < 5 ? 'clear' : n < 8 ? 'clouds' : 'rain'
}

/** The shadows of clouds, and rain in the visible part. */
export function weatherSprites(weather: Weather, seen: Box, now: number): Sprite[] {
  if (weather === 'clear') return []
  const clouds = [0, 1, 2, 3, 4, 5].map((k) => ({
    piece: 'cloud',
    x: Math.round(((now / 90 + k * 397) % (SIDE + 300)) - 150),
    y: 420 + ((k * 311) % 1100),
    depth: Infinity,
  }))
  if (weather === 'clouds') return clouds
  const turn = Math.floor(now / 160)
  const [width, height] = [seen.right - seen.left, seen.bottom - seen.top]
  const drops = Array.from({ length: DROPS }, (_, k) => ({
    piece: 'rain',
    x: Math.round(seen.left + ((scatter(k, turn, 51) % 1000) / 1000) * width),
    y: Math.round(seen.top + ((scatter(k, turn, 52) % 1000) / 1000) * height),
    depth: Infinity,
  }))
  return [...clouds, ...drops]
}
