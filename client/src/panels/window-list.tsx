// A list of any length. It renders only the visible rows, so that 10,000 messages scroll like 50, and measures a row
// when it appears. A person who is at the end stays at the end while the list grows; a person further up keeps the
// position (S4-B10).
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks'
import { words } from '../words'
import { useGrowth } from './use-growth'
import { useLatest } from './use-latest'
import { rowAt, TOP, WindowPlace } from './window-place'

export interface WindowListProps<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  render: (item: T) => ComponentChildren
  /** The assumed height of a row that was not measured, in pixels. */
  estimate: number
  /** Whether the list starts at the end, and stays there while it grows. */
  follow?: boolean
  /** The key of a row to scroll to, once for each key. */
  lead?: string
  /** The id of the last message that the person wrote; "" for none. Each new id makes the list scroll to the end. */
  said?: string
  /** Called while the scroll position is near the beginning. A list that hardly fills its box is always there. */
  onTop?: () => void
  /**
   * Whether the scroll position can be anchored to a row. False for a row that disappears when older rows are loaded.
   */
  isPlace?: (item: T) => boolean
  label: string
  testid?: string
}

/** How far rows are rendered beyond each edge, in pixels. */
const OVERSCAN = 600
/** The height of the box that is assumed while the browser has no layout, in pixels. */
const UNKNOWN = 800

const always = () => true

export function WindowList<T>(props: WindowListProps<T>) {
  const { items, keyOf, render, estimate, follow = false, lead = '', said = '', isPlace = always } = props
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const place = useMemo(() => new WindowPlace(follow), [follow])
  const [version, measured] = useReducer((n: number) => n + 1, 0)
  const [, moved] = useReducer((n: number) => n + 1, 0)
  const keys = useLatest(keyOf)
  const onTop = useLatest(props.onTop)
  const offsets = useMemo(() => {
    void version // depends on the heights in place, which are no state of the hook
    return place.offsets(items, keys.current, estimate)
  }, [place, items, keys, version, estimate])
  const rows = { items, keyOf, offsets }
  const total = offsets[items.length] ?? 0
  const height = box.current?.clientHeight || UNKNOWN
  const top = place.atEnd ? Math.max(0, total - height) : (box.current?.scrollTop ?? 0)
  const first = rowAt(offsets, top - OVERSCAN)
  const last = Math.min(items.length, rowAt(offsets, top + height + OVERSCAN) + 1)
  const toEnd = useCallback(() => {
    place.toEnd()
    moved(undefined)
  }, [place])

  // Scrolls to the row whose key is lead. If rows are measured later, that row stays in place.
  useLayoutEffect(() => {
    if (box.current && place.lead(box.current, lead, rows, height)) moved(undefined)
  })
  // When the person sends a message, scrolls to the end.
  const heard = useRef(said)
  useLayoutEffect(() => {
    if (follow && said !== '' && said !== heard.current) toEnd()
    heard.current = said
  }, [said, follow, toEnd])
  // Asks for older rows while the scroll position is near the beginning.
  useEffect(() => {
    const el = box.current
    if (!el || el.clientHeight === 0 || el.scrollTop >= TOP) return
    if (!place.atEnd || total < el.clientHeight + TOP) onTop.current?.()
  }, [place, items, total, onTop])
  // Measures the rendered rows, then restores the scroll position.
  useLayoutEffect(() => {
    if (!box.current || !list.current) return
    if (place.measure(list.current.children)) measured(undefined)
    place.restore(box.current, rows)
  })
  useGrowth(box, list, place, () => measured(undefined))

  const onScroll = () => {
    const el = box.current
    if (!el) return
    place.scrolled(el, rows, isPlace)
    moved(undefined)
    if (el.scrollTop < TOP && !place.atEnd) onTop.current?.()
  }
  return (
    <div class="window">
      <div class="window-box" ref={box} onScroll={onScroll} tabIndex={0} role="group" {...named(props)}>
        <div style={{ height: `${offsets[first] ?? 0}px` }} />
        <div ref={list}>
          {items.slice(first, last).map((item) => (
            <div key={keyOf(item)} data-key={keyOf(item)} class="window-row">
              {render(item)}
            </div>
          ))}
        </div>
        <div style={{ height: `${Math.max(0, total - (offsets[last] ?? 0))}px` }} />
      </div>
      {follow && !place.atEnd && (
        <button type="button" class="to-end" onClick={toEnd}>
          {words.transcript.newest}
        </button>
      )}
    </div>
  )
}

function named({ label, testid }: { label: string; testid?: string }) {
  return { 'aria-label': label, 'data-testid': testid }
}
