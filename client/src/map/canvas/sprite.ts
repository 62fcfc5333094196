// Sprites: pieces of the atlas at positions of the map. Scenes build lists of sprites, and a brush draws them.
import type { Atlas, Pen, Piece } from './atlas'
import { meets, type Box } from './view'

export interface Sprite {
  piece: string
  /** The middle of the lower edge, in pixels of the map. */
  x: number
  y: number
  /** Sprites with a higher depth are drawn over others. The default is y. */
  depth?: number
  /** A member's colour, for pieces with cloth and for grey pieces. */
  tint?: string
  /** Whether a shadow lies below its feet. Only for pieces with a tint. */
  shaded?: boolean
  /** The opacity, 0 to 1. */
  alpha?: number
  /** Whether the piece is light, which brightens what is below it. */
  glow?: boolean
}

export const depthOf = (s: Sprite): number => s.depth ?? s.y

/** The box that a sprite covers; empty if the atlas does not have its piece. */
export function boxOf(atlas: Atlas, s: Sprite): Box {
  const p = atlas.get(s.piece)
  const [w, h] = [p?.w ?? 0, p?.h ?? 0]
  return { left: s.x - w / 2, right: s.x + w / 2, top: s.y - h, bottom: s.y }
}

/** The visible sprites in the order of their depths. */
export function visible(atlas: Atlas, sprites: readonly Sprite[], seen: Box): Sprite[] {
  const shown = sprites.filter((s) => {
    const b = boxOf(atlas, s)
    return meets(seen, b.left, b.top, b.right - b.left, b.bottom - b.top)
  })
  return shown.sort((a, b) => depthOf(a) - depthOf(b))
}

/**
 * Draws one sprite. copy: the function that draws a piece of the atlas with its upper left corner at x, y of the
 * map.
 */
export function put(g: Pen, atlas: Atlas, s: Sprite, copy: Copy = copyPiece): void {
  const p = s.tint ? atlas.tinted(s.piece, s.tint, s.shaded) : atlas.get(s.piece)
  if (!p) return
  if (s.alpha !== undefined) g.globalAlpha = s.alpha
  if (s.glow) g.globalCompositeOperation = 'lighter'
  copy(g, p, Math.round(s.x - p.w / 2), Math.round(s.y - p.h + (p.below ?? 0)))
  if (s.glow) g.globalCompositeOperation = 'source-over'
  if (s.alpha !== undefined) g.globalAlpha = 1
}

type Copy = (g: Pen, p: Piece, x: number, y: number) => void

export function copyPiece(g: Pen, p: Piece, x: number, y: number): void {
  g.drawImage(p.from, p.x, p.y, p.w, p.h, x, y, p.w, p.h)
}
