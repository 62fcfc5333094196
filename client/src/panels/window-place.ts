// Where the reader of a long list is: at its end, which they follow, or at a row, which they keep. It measures the rows
// that are drawn and moves the box; it draws nothing.

/** Within this distance of the end counts as being there, in pixels. */
const NEAR = 48
/** Within this distance of the beginning what is before it is asked for, in pixels. */
export const TOP = 400
/** How long rows around one that was led to are measured before scrolling is a reader's, in milliseconds. */
const SETTLE_MS = 300

export interface Rows<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  /** Where each row begins; the last is where all of them end. */
  offsets: Float64Array
}

export class WindowPlace {
  readonly #follow: boolean
  /** Heights of the rows that were drawn, by key. */
  readonly #heights = new Map<string, number>()
  #atEnd: boolean
  /** The box when it was last put to its end: its height, and how far it was scrolled. */
  #room = 0
  #end = 0
  /** The first row in sight, and where it stood. */
  #anchor: { key: string; offset: number } | null = null
  #led = ''
  #settled = 0

  /** follow: it starts at the end and stays there until the reader goes up. */
  constructor(follow: boolean) {
    this.#follow = follow
    this.#atEnd = follow
  }

  get atEnd(): boolean {
    return this.#atEnd
  }

  offsets<T>(items: readonly T[], keyOf: (item: T) => string, estimate: number): Float64Array {
    const out = new Float64Array(items.length + 1)
    items.forEach((item, i) => {
      out[i + 1] = (out[i] ?? 0) + (this.#heights.get(keyOf(item)) ?? estimate)
    })
    return out
  }

  /** Measures the rows that are drawn. True where one is not as high as was known. */
  measure(rows: Iterable<Element>): boolean {
    let changed = false
    for (const row of rows) {
      const { key } = (row as HTMLElement).dataset
      const h = (row as HTMLElement).offsetHeight
      if (key === undefined || h <= 0 || Math.abs((this.#heights.get(key) ?? -1) - h) <= 0.5) continue
      this.#heights.set(key, h)
      changed = true
    }
    return changed
  }

  /** Another width breaks lines elsewhere: every row is measured anew. */
  forget(): void {
    this.#heights.clear()
  }

  toEnd(): void {
    this.#atEnd = true
  }

  /** Leads to a row as soon as it is here, once for each. True where it moved the box. */
  lead<T>(el: HTMLElement, key: string, { items, keyOf, offsets }: Rows<T>, height: number): boolean {
    if (key === this.#led) return false
    const i = key === '' ? -1 : items.findIndex((item) => keyOf(item) === key)
    if (key !== '' && i < 0) return false
    this.#led = key
    if (i < 0) return false
    this.#settled = performance.now() + SETTLE_MS
    this.#atEnd = false
    const offset = offsets[i] ?? 0
    el.scrollTop = Math.max(0, offset - height / 3)
    this.#anchor = { key, offset }
    return true
  }

  /** Puts the reader back where they were: at the end, or at their row. */
  restore<T>(el: HTMLElement, { items, keyOf, offsets }: Rows<T>): void {
    if (this.#atEnd) {
      this.putToEnd(el)
      return
    }
    const a = this.#anchor
    if (a === null) return
    const i = items.findIndex((item) => keyOf(item) === a.key)
    const offset = offsets[i]
    if (i < 0 || offset === undefined || offset === a.offset) return
    el.scrollTop += offset - a.offset
    this.#anchor = { key: a.key, offset }
  }

  /** The box follows its end at once: a row that streams grows without anything else being drawn. */
  putToEnd(el: HTMLElement): void {
    if (el.scrollHeight - el.clientHeight - el.scrollTop > 1) el.scrollTop = el.scrollHeight
    this.#room = el.clientHeight
    this.#end = el.scrollTop
  }

  /** The box was scrolled. isPlace: whether a row is a place to keep. */
  scrolled<T>(el: HTMLElement, { items, keyOf, offsets }: Rows<T>, isPlace: (item: T) => boolean): void {
    const near = el.scrollHeight - el.scrollTop - el.clientHeight < NEAR
    // A reader who goes up scrolls back. A box that became smaller or larger, or rows that grew, are no reader.
    const byReader = el.clientHeight === this.#room && el.scrollTop < this.#end - 1
    this.#atEnd = this.#follow && (near || (this.#atEnd && !byReader))
    if (performance.now() < this.#settled) return // the row that was led to is the place
    let i = rowAt(offsets, el.scrollTop)
    while (i < items.length - 1 && !isPlace(items[i] as T)) i++
    const item = items[i]
    this.#anchor = item === undefined ? null : { key: keyOf(item), offset: offsets[i] ?? 0 }
  }
}

/** The row at a height: the last whose offset is not beyond it. */
export function rowAt(offsets: Float64Array, y: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 2)
  while (low < high) {
    const mid = (low + high + 1) >> 1
    if ((offsets[mid] ?? 0) <= y) low = mid
    else high = mid - 1
  }
  return low
}
