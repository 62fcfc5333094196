// A list of any length of which only what can be seen is drawn: 10,000 messages
// scroll like 50. Rows are measured as they appear; whoever reads further up
// keeps the place, whoever is at the end stays at the end (S4-B10).
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks'
import { words } from '../words'

export interface WindowListProps<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  render: (item: T) => ComponentChildren
  /** Height of a row that was not measured yet, in pixels. */
  estimate: number
  /** Starts at the end and follows it. */
  follow?: boolean
  /** The key of a row to lead to, once for each. */
  lead?: string
  /** What the reader has said last, "" for nothing: who speaks wants to see it, wherever they read. */
  said?: string
  /** The reader is at the beginning, or near it. */
  onTop?: () => void
  /** Whether a row is a place to keep: one that goes when there is more before it is none. */
  isPlace?: (item: T) => boolean
  label: string
  testid?: string
}

/** Rows drawn beyond each edge, in pixels. */
const OVERSCAN = 600
/** Within this distance of the end counts as being there, in pixels. */
const NEAR = 48
/** Within this distance of the beginning what is before it is asked for, in pixels. */
const TOP = 400
/** How long rows around one that was led to are measured before scrolling is a reader's, in milliseconds. */
const SETTLE_MS = 300
/** Height where there is no layout. */
const UNKNOWN = 800

export function WindowList<T>({
  items,
  keyOf,
  render,
  estimate,
  follow = false,
  lead = '',
  said = '',
  onTop,
  isPlace,
  label,
  testid,
}: WindowListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>())
  const atEnd = useRef(follow)
  /** The box's height when it was last put to its end. */
  const room = useRef(0)
  /** The first row in sight, and where it stood. */
  const anchor = useRef<{ key: string; offset: number } | null>(null)
  const [version, remeasured] = useReducer((n: number) => n + 1, 0)
  const [, moved] = useReducer((n: number) => n + 1, 0)

  const offsets = useMemo(() => {
    const out = new Float64Array(items.length + 1)
    items.forEach((item, i) => {
      out[i + 1] = (out[i] ?? 0) + (heights.current.get(keyOf(item)) ?? estimate)
    })
    return out
  }, [items, version, estimate])

  const total = offsets[items.length] ?? 0
  const height = box.current?.clientHeight || UNKNOWN
  const top = atEnd.current ? Math.max(0, total - height) : (box.current?.scrollTop ?? 0)
  const first = find(offsets, top - OVERSCAN)
  const last = Math.min(items.length, find(offsets, top + height + OVERSCAN) + 1)

  // Lead the reader to a row as soon as it is here; measuring keeps it where it is.
  const led = useRef('')
  const settling = useRef(0)
  useLayoutEffect(() => {
    const el = box.current
    if (!el || lead === led.current) return
    const i = lead === '' ? -1 : items.findIndex((item) => keyOf(item) === lead)
    if (lead !== '' && i < 0) return
    led.current = lead
    if (i < 0) return
    settling.current = performance.now() + SETTLE_MS
    atEnd.current = false
    const offset = offsets[i] ?? 0
    el.scrollTop = Math.max(0, offset - height / 3)
    anchor.current = { key: lead, offset }
    moved(undefined)
  })

  // Whoever speaks is at the end.
  const heard = useRef(said)
  useLayoutEffect(() => {
    if (said === heard.current) return
    heard.current = said
    if (said !== '' && follow) toEnd()
  }, [said])

  // What is before the beginning is wanted where the reader is near it.
  useEffect(() => {
    const el = box.current
    if (onTop && el && el.clientHeight > 0 && el.scrollTop < TOP && (!atEnd.current || total < height + TOP)) onTop()
  }, [items, total])

  // Measure what was drawn, then put the reader back where they were.
  useLayoutEffect(() => {
    const el = box.current
    if (!el || !list.current) return
    let changed = false
    for (const row of list.current.children) {
      const key = (row as HTMLElement).dataset['key']
      const h = (row as HTMLElement).offsetHeight
      if (key !== undefined && h > 0 && Math.abs((heights.current.get(key) ?? -1) - h) > 0.5) {
        heights.current.set(key, h)
        changed = true
      }
    }
    if (changed) remeasured(undefined)
    if (atEnd.current) {
      room.current = el.clientHeight
      if (el.scrollHeight - el.clientHeight - el.scrollTop > 1) el.scrollTop = el.scrollHeight
      return
    }
    const a = anchor.current
    if (a === null) return
    const i = items.findIndex((item) => keyOf(item) === a.key)
    const offset = offsets[i]
    if (i < 0 || offset === undefined || offset === a.offset) return
    el.scrollTop += offset - a.offset
    anchor.current = { key: a.key, offset }
  })

  // Another width breaks lines elsewhere.
  useEffect(() => {
    const el = box.current
    if (!el || typeof ResizeObserver === 'undefined') return
    let width = el.clientWidth
    const observer = new ResizeObserver(() => {
      if (el.clientWidth !== width) {
        width = el.clientWidth
        heights.current.clear()
        remeasured(undefined)
      } else moved(undefined)
    })
    observer.observe(el)
    return () => observer.disconnect()
  }, [])

  const onScroll = () => {
    const el = box.current
    if (!el) return
    const near = el.scrollHeight - el.scrollTop - el.clientHeight < NEAR
    // A box that became smaller or larger is no reader who scrolled.
    atEnd.current = follow && (near || (atEnd.current && el.clientHeight !== room.current))
    moved(undefined)
    if (performance.now() < settling.current) return // the row that was led to is the place
    let i = find(offsets, el.scrollTop)
    while (isPlace && i < items.length - 1 && !isPlace(items[i] as T)) i++
    const item = items[i]
    anchor.current = item === undefined ? null : { key: keyOf(item), offset: offsets[i] ?? 0 }
    if (el.scrollTop < TOP && !atEnd.current) onTop?.()
  }

  const toEnd = () => {
    atEnd.current = true
    moved(undefined)
  }

  return (
    <div class="window">
      <div
        class="window-box"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="group"
        aria-label={label}
        data-testid={testid}
      >
        <div style={{ height: `${offsets[first] ?? 0}px` }} />
        <div ref={list}>
          {items.slice(first, last).map((item) => {
            const key = keyOf(item)
            return (
              <div key={key} data-key={key} class="window-row">
                {render(item)}
              </div>
            )
          })}
        </div>
        <div style={{ height: `${Math.max(0, total - (offsets[last] ?? 0))}px` }} />
      </div>
      {follow && !atEnd.current && (
        <button type="button" class="to-end" onClick={toEnd}>
          {words.talk.newest}
        </button>
      )}
    </div>
  )
}

/** The row at a height: the last whose offset is not beyond it. */
function find(offsets: Float64Array, y: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 2)
  while (low < high) {
    const mid = (low + high + 1) >> 1
    if ((offsets[mid] ?? 0) <= y) low = mid
    else high = mid - 1
  }
  return low
}
