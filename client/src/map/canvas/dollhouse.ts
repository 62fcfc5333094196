// Houses whose roof is open: when the camera is near a house in which heroes are at work, they are seen in it. Pure.
import type { Site } from '../../net/protocol.gen'
import type { HeroNow } from './heroes-now'
import type { Sprite } from './sprite'
import { siteOf, sitePiece, TILE } from './terrain'

/** From this zoom on roofs open, in pixels of the page for one of the world: heroes then have 32 pixels. */
const NEAR = 1

/** The width and the height of each house's piece, and how many heroes stand in it; further ones are only counted. */
const INSIDE: Readonly<Record<string, { width: number; height: number; most: number }>> = {
  'site.small': { width: 48, height: 64, most: 2 },
  'site.medium': { width: 64, height: 80, most: 4 },
  'site.large': { width: 80, height: 96, most: 6 },
  'site.keep': { width: 80, height: 112, most: 6 },
}

export interface OpenHouse {
  site: Site
  sprite: Sprite
  /** The heroes in it, at the places in the country where they are drawn, in tiles. */
  heroes: HeroNow[]
}

/** The houses that are open at a zoom. The heroes who are at work come first. */
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
