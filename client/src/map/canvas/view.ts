// The arithmetic of the camera: the visible part, zoom steps, limits and level of detail. A pixel of the map is a
// pixel of the atlas. Pure.
import { TILE } from './terrain'

export interface View {
  /** The centre of the visible part. */
  x: number
  y: number
  /** The number of screen pixels for one pixel of the map. */
  zoom: number
}

export interface Size {
  width: number
  height: number
}

export interface Screen extends Size {
  /** The boxes that controls and marks of the map cover. */
  taken?: readonly Box[]
}

/** The zoom steps above fit. fit is the zoom at which the whole map is on the screen. */
const ZOOMS = [1, 2, 3, 4] as const

export function fitZoom(screen: Size, world: Size): number {
  const fit = Math.min(screen.width / world.width, screen.height / world.height)
  return fit >= 1 ? Math.min(4, Math.floor(fit)) : Math.max(0.05, fit)
}

/**
 * The zoom at which a part of the map fits on the screen. Above 1 it is a whole number, so that pixels stay sharp.
 */
export function beginZoom(screen: Size, part: Size, ratio: number): number {
  const fit = Math.min(screen.width / part.width, screen.height / part.height)
  return fit >= 1 ? Math.min(3 * ratio, Math.floor(fit)) : fit
}

/** The part of a room, in its width and its height, that its first view may leave out at the right and below. */
const LEFT_OUT = 1 / 8

/**
 * The first view of a room. It shows the whole room, or almost the whole room where that makes it larger, because the
 * last columns and rows of a room are rarely full; of a large room the upper part.
 */
export function roomView(screen: Size, room: Size, ratio: number): View {
  const shown = { width: room.width * (1 - LEFT_OUT), height: room.height * (1 - LEFT_OUT) }
  const zoom = Math.max(fitZoom(screen, shown), ratio)
  return { x: Math.min(room.width, screen.width / zoom) / 2, y: screen.height / zoom / 2, zoom }
}

/** The zoom steps from fit on. If the director's zoom is larger than the largest step, it is a step, too. */
function steps(zoom: number, fit: number): number[] {
  const all = [fit, ...ZOOMS.filter((z) => z > fit + 0.01)]
  return zoom > all.at(-1)! ? [...all, zoom] : all
}

/** The next zoom step in a direction. The smallest step is fit. */
export function stepZoom(zoom: number, direction: 1 | -1, fit: number): number {
  const all = steps(zoom, fit)
  if (direction > 0) return all.find((z) => z > zoom + 0.01) ?? all.at(-1)!
  return all.findLast((z) => z < zoom - 0.01) ?? all[0]!
}

/** The zoom step that is nearest to a zoom. A pinch ends at this step. */
export function snapZoom(zoom: number, fit: number): number {
  return steps(zoom, fit).reduce((best, z) =>
    Math.abs(Math.log(z / zoom)) < Math.abs(Math.log(best / zoom)) ? z : best,
  )
}

/** The height above the map that the upper half of a hero in the first row takes, in pixels of the map. */
const HEADROOM = TILE

/**
 * Moves the view so that the screen shows nothing outside of the map and its HEADROOM. A map that is narrower or
 * lower than the screen is centred in that direction.
 */
export function clampView(v: View, screen: Size, world: Size): View {
  const along = (at: number, seen: number, from: number, to: number): number =>
    seen >= to - from ? to / 2 : Math.min(to - seen / 2, Math.max(from + seen / 2, at))
  return {
    zoom: v.zoom,
    x: along(v.x, screen.width / v.zoom, 0, world.width),
    y: along(v.y, screen.height / v.zoom, -HEADROOM, world.height),
  }
}

/** A rectangle, in pixels of the map if nothing else is said. */
export interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

export function seenFrom(v: View, screen: Size): Box {
  const w = screen.width / 2 / v.zoom
  const h = screen.height / 2 / v.zoom
  return { left: v.x - w, right: v.x + w, top: v.y - h, bottom: v.y + h }
}

export function isSameBox(a: Box, b: Box): boolean {
  return a.left === b.left && a.right === b.right && a.top === b.top && a.bottom === b.bottom
}

/** A box in tiles as a box in pixels of the map. */
export function boxOfTiles({ left, right, top, bottom }: Box): Box {
  return { left: left * TILE, right: right * TILE, top: top * TILE, bottom: bottom * TILE }
}

/** Whether a rectangle overlaps the box. */
export function meets(box: Box, x: number, y: number, width: number, height: number): boolean {
  return x < box.right && x + width > box.left && y < box.bottom && y + height > box.top
}

/** Whether two boxes overlap. */
export function overlaps(a: Box, b: Box): boolean {
  return meets(a, b.left, b.top, b.right - b.left, b.bottom - b.top)
}

function toWorld(v: View, screen: Size, sx: number, sy: number): { x: number; y: number } {
  return { x: v.x + (sx - screen.width / 2) / v.zoom, y: v.y + (sy - screen.height / 2) / v.zoom }
}

export function toScreen(v: View, screen: Size, x: number, y: number): { x: number; y: number } {
  return { x: (x - v.x) * v.zoom + screen.width / 2, y: (y - v.y) * v.zoom + screen.height / 2 }
}

/** The point at a pixel of the screen, in tiles. */
export function pointAt(v: View, screen: Size, sx: number, sy: number): { x: number; y: number } {
  const p = toWorld(v, screen, sx, sy)
  return { x: p.x / TILE, y: p.y / TILE }
}

/** Zooms about a point of the screen, which stays in place. */
export function zoomAt(v: View, screen: Size, zoom: number, sx: number, sy: number): View {
  const p = toWorld(v, screen, sx, sy)
  return { zoom, x: p.x - (sx - screen.width / 2) / zoom, y: p.y - (sy - screen.height / 2) / zoom }
}

/** far: heroes are dots. middle: forts have names. near: heroes have names. */
export type Detail = 'far' | 'middle' | 'near'

/** The level of detail for a zoom in CSS pixels for one pixel of the map. */
export function detail(zoom: number): Detail {
  return zoom < 0.45 ? 'far' : zoom < 1.8 ? 'middle' : 'near'
}

export interface Label {
  id: string
  x: number
  y: number
  width: number
  height: number
  /** If two labels overlap, the one with the higher rank is shown. */
  rank: number
  /** What the label must not cover; absent for nothing. */
  avoid?: readonly Box[]
  /** Where else the label can be, the best first. */
  asides?: readonly number[]
}

/**
 * Chooses the labels to show, so that no label overlaps another label or a box in taken, or is cut by the upper or the
 * lower edge of the screen. A label that is shown aside gets that place.
 */
export function declutter<T extends Label>(labels: readonly T[], screen: Screen): T[] {
  const out: T[] = []
  const taken = screen.taken ?? []
  const isFree = (l: T): boolean => {
    const left = l.x - l.width / 2
    return !(
      out.some(
        (o) => Math.abs(o.x - l.x) * 2 < o.width + l.width + 4 && l.y < o.y + o.height + 2 && o.y < l.y + l.height + 2,
      ) || [taken, l.avoid ?? []].some((boxes) => boxes.some((b) => meets(b, left, l.y, l.width, l.height)))
    )
  }
  for (const l of [...labels].sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1))) {
    if (l.x + l.width / 2 < 0 || l.x - l.width / 2 > screen.width || l.y < 0 || l.y + l.height > screen.height) continue
    const free = [l.x, ...(l.asides ?? [])].map((x) => ({ ...l, x })).find(isFree)
    if (free) out.push(free)
  }
  return out
}
