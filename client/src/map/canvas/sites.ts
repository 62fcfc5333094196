// The sprites of houses and forts, and of the marks on them. Pure.
import type { Fort, Site } from '../../net/protocol.gen'
import { tint } from './palette'
import type { Sprite } from './sprite'
import { sitePiece, TILE } from './terrain'

/** The sprites of houses and forts, which do not move. */
export function siteSprites(sites: readonly Site[], forts: readonly Fort[]): Sprite[] {
  return [
    ...sites.map((s) => ({
      piece: sitePiece(s),
      x: Math.round((s.x + s.width / 2) * TILE),
      y: (s.y + s.height) * TILE,
    })),
    ...forts.map((f) => ({
      piece: `fort.${Math.min(5, Math.max(1, f.stage))}`,
      x: Math.round((f.x + 0.5) * TILE),
      y: (f.y + 3) * TILE,
    })),
  ]
}

/** The waving banners of forts, in the colours of their members. */
export function bannerSprites(forts: readonly Fort[], now: number): Sprite[] {
  const piece = `fort.banner.${Math.floor(now / 700) % 2}`
  return forts.map((f) => ({ piece, x: (f.x + 2) * TILE, y: (f.y + 2) * TILE, tint: tint(f.color) }))
}

/** Marks on houses that contain files at which coding agents collide. */
export function collisionSprites(sites: readonly Site[]): Sprite[] {
  return sites.map((s) => ({ piece: 'mark.collision', x: (s.x + s.width / 2) * TILE, y: s.y * TILE, depth: Infinity }))
}
