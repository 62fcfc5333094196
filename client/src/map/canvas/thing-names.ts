// The names below the things of a room: their texts, and in which of two lines each stands. The names of neighbours
// stand in different lines, so each has the width of two things. A thing has the same name whoever stands before it.
// Pure.
import type { RoomObject } from '../../net/protocol.gen'

export interface ThingName {
  text: string
  /** 0 for the upper line, 1 for the lower one. */
  line: 0 | 1
}

/** A heading that stands in the lower line below the row y, over its own group, from left to right in tiles. */
export interface Heading {
  y: number
  left: number
  right: number
}

/** The height of a line of names, in CSS pixels. */
export const NAME_LINE = 14
/** The width of a letter and of the space at both sides of a name, in CSS pixels. */
const LETTER = 6.8
const SIDES = 12
/** The minimum distance between two names, in CSS pixels. */
const GAP = 4
/** The maximum number of letters of a name. */
const MOST = 24
/** A shortened name has at least this many letters. */
const LEAST = 5

/** The width of a name with a number of letters, in CSS pixels. */
export function nameWidth(letters: number): number {
  return letters * LETTER + SIDES
}

/** Whether two lines have space below a row. tile: the size of a tile in CSS pixels. */
export function hasTwoLines(tile: number): boolean {
  return tile >= 2 * NAME_LINE
}

/** The names of things by the things' ids. tile: the size of a tile in CSS pixels. */
export function thingNames(
  things: readonly RoomObject[],
  headings: readonly Heading[],
  tile: number,
): Map<string, ThingName> {
  const out = new Map<string, ThingName>()
  if (!hasTwoLines(tile)) {
    for (const o of things) out.set(o.id, { text: middle(o.name, MOST), line: 0 })
    return out
  }
  for (const [y, row] of grouped(things, (o) => o.y)) {
    const over = headings.filter((h) => h.y === y)
    const lines = grouped(placed(row, over, tile), (t) => t.line)
    for (const line of lines.values())
      line.forEach((t, i) => {
        const most = Math.floor(
          (Math.min(spaceTo(t, line[i - 1], tile), spaceTo(t, line[i + 1], tile)) - SIDES) / LETTER,
        )
        out.set(t.thing.id, { text: middle(t.thing.name, Math.max(LEAST, Math.min(MOST, most))), line: t.line })
      })
  }
  return out
}

function grouped<T>(all: readonly T[], by: (t: T) => number): Map<number, T[]> {
  const out = new Map<number, T[]>()
  for (const t of all) {
    const group = out.get(by(t))
    if (group) group.push(t)
    else out.set(by(t), [t])
  }
  return out
}

interface Placed {
  thing: RoomObject
  line: 0 | 1
  /** The width of the whole name, in CSS pixels. */
  width: number
}

/** Puts the things of a row into lines by turns; over a heading into the upper line. */
function placed(row: readonly RoomObject[], headings: readonly Heading[], tile: number): Placed[] {
  const out: Placed[] = []
  for (const thing of row.toSorted((a, b) => a.x - b.x)) {
    const width = nameWidth(Math.min(MOST, thing.name.length))
    const half = Math.min(width / 2 / tile, 1)
    const x = thing.x + 0.5
    const over = headings.some((h) => x - half < h.right && x + half > h.left)
    out.push({ thing, line: over || out.at(-1)?.line !== 0 ? 0 : 1, width })
  }
  return out
}

/** The width that a name can have beside another name in its line: at least that of the distance between the two. */
function spaceTo(t: Placed, other: Placed | undefined, tile: number): number {
  if (!other) return Infinity
  const distance = Math.abs(t.thing.x - other.thing.x) * tile - GAP
  return Math.max(distance, 2 * distance - other.width)
}

/** Shortens a name in its middle, so that its beginning and its extension stay. */
export function middle(name: string, most: number): string {
  const letters = [...name]
  if (letters.length <= most) return name
  const dot = letters.lastIndexOf('.')
  const extension = dot > 0 ? letters.length - dot : 0
  const end = Math.max(Math.floor((most - 1) / 2), Math.min(extension, most - 3))
  return [...letters.slice(0, most - 1 - end), '…', ...letters.slice(letters.length - end)].join('')
}
