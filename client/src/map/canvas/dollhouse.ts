// Houses that are drawn with an open roof: if the camera is near a house in which heroes are at work, the heroes
// are drawn inside. Pure.
import type { Site } from '../../net/protocol.gen'
import type { HeroNow } from './heroes-now'
import type { Sprite } from './sprite'
import { siteOf, sitePiece, TILE } from './terrain'

/**
 * The zoom from which roofs are open, in CSS pixels for one pixel of the map. At this zoom a hero is 32 pixels
 * high.
 */
const NEAR = 1

/**
 * For each piece of a house: its width and height in pixels, and the maximum number of heroes that are drawn in it.
 * Further heroes are only counted.
 */
const INSIDE: Readonly<Record<string, { width: number; height: number; most: number }>> = {
  'site.small': { width: 48, height: 64, most: 2 },
  'site.medium': { width: 64, height: 80, most: 4 },
  'site.large': { width: 80, height: 96, most: 6 },
  'site.keep': { width: 80, height: 112, most: 6 },
}

export interface OpenHouse {
  site: Site
  sprite: Sprite
  /** The heroes inside that are drawn, with their positions in tiles of the country. */
  heroes: HeroNow[]
}

/** The houses that are drawn open at this zoom. In each, heroes at work are drawn before others. */
export function openHouses(sites: readonly Site[], heroes: readonly HeroNow[], zoom: number): OpenHouse[] {
  if (zoom < NEAR) return []
  const within = new Map<Site, HeroNow[]>()
  for (const h of heroes) {
    const site = h.room === null ? undefined : siteOf(sites, h.room)
    if (site) within.set(site, [...(within.get(site) ?? []), h])
  }
  return [...within].flatMap(([site, here]) => {
    const inside = INSIDE[sitePiece(site)]
    if (!inside || !here.some((h) => h.lit)) return []
    const x = (site.x + site.width / 2) * TILE
    const y = (site.y + site.height) * TILE
    const shown = [...here]
      .sort((a, b) => Number(b.lit) - Number(a.lit) || (a.id < b.id ? -1 : 1))
      .slice(0, inside.most)
    const columns = Math.min(shown.length, Math.floor((inside.width - 8) / 22))
    const rows = Math.ceil(shown.length / columns)
    return [
      {
        site,
        sprite: { piece: sitePiece(site).replace('site.', 'site.open.'), x: Math.round(x), y },
        heroes: shown.map((h, i) => ({
          ...h,
          x: (x - ((columns - 1) / 2 - (i % columns)) * 22) / TILE - 0.5,
          y: (y - 8 - (rows - 1 - Math.floor(i / columns)) * 26) / TILE - 1,
        })),
      },
    ]
  })
}
