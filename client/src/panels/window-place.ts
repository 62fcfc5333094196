// The scroll position of a long list. It is either the end, also when the list grows, or a row that stays in place.
// WindowPlace measures rows and scrolls the box; it renders nothing.

/** The list counts as scrolled to its end if it is at most this many pixels away from it. */
const NEAR = 48
/** The distance from the beginning at which older rows are requested, in pixels. */
export const TOP = 400
/** How long scroll events after a jump to a row are ignored while rows are measured, in milliseconds. */
const SETTLE_MS = 300

export interface Rows<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  /** The distance of each row from the top of the list, in pixels; the last entry is the total height. */
  offsets: Float64Array
}

export class WindowPlace {
  readonly #follow: boolean
  /** Measured heights, by key. */
  readonly #heights = new Map<string, number>()
  #atEnd: boolean
  /** The height and the scroll position of the box when it was last scrolled to its end. */
  #boxHeight = 0
  #endTop = 0
  /**
   * The row to keep in place, with its offset: the first visible row at the last scroll event, or the row to which the
   * list has jumped.
   */
  #anchor: { key: string; offset: number } | null = null
  #jumpedTo = ''
  #settledAt = 0

  /** follow: whether the list starts at its end, and stays there until the person scrolls up. */
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

  /** Measures the rendered rows. Returns whether a height has changed. */
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

  /**
   * Forgets all measured heights. Called when the width of the list has changed, because lines then break
   * elsewhere.
   */
  forget(): void {
    this.#heights.clear()
  }

  toEnd(): void {
    this.#atEnd = true
  }

  /** Scrolls to the row with the key as soon as items has it, once for each key. Returns whether it scrolled. */
  lead<T>(el: HTMLElement, key: string, { items, keyOf, offsets }: Rows<T>, height: number): boolean {
    if (key === this.#jumpedTo) return false
    const i = key === '' ? -1 : items.findIndex((item) => keyOf(item) === key)
    if (key !== '' && i < 0) return false
    this.#jumpedTo = key
    if (i < 0) return false
    this.#settledAt = performance.now() + SETTLE_MS
    this.#atEnd = false
    const offset = offsets[i] ?? 0
    el.scrollTop = Math.max(0, offset - height / 3)
    this.#anchor = { key, offset }
    return true
  }

  /** Restores the scroll position: the end of the list, or the row to keep in place. */
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

  /** Scrolls to the end now and not only at the next render, because a streaming row grows without a render. */
  putToEnd(el: HTMLElement): void {
    if (el.scrollHeight - el.clientHeight - el.scrollTop > 1) el.scrollTop = el.scrollHeight
    this.#boxHeight = el.clientHeight
    this.#endTop = el.scrollTop
  }

  /** Handles a scroll event. isPlace: whether a row can be the row to keep in place. */
  scrolled<T>(el: HTMLElement, { items, keyOf, offsets }: Rows<T>, isPlace: (item: T) => boolean): void {
    const near = el.scrollHeight - el.scrollTop - el.clientHeight < NEAR
    // If the box has the height that it had before, only the person can have scrolled up. If the box has another
    // height or rows have grown, the end has moved away by itself.
    const byReader = el.clientHeight === this.#boxHeight && el.scrollTop < this.#endTop - 1
    this.#atEnd = this.#follow && (near || (this.#atEnd && !byReader))
    if (performance.now() < this.#settledAt) return // the row that was jumped to stays the kept one
    let i = rowAt(offsets, el.scrollTop)
    while (i < items.length - 1 && !isPlace(items[i] as T)) i++
    const item = items[i]
    this.#anchor = item === undefined ? null : { key: keyOf(item), offset: offsets[i] ?? 0 }
  }
}

/** The index of the row at the height y: the last row that begins at or above y. */
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
