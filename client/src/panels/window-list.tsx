// A list of any length of which only what can be seen is drawn: 10,000 messages scroll like 50. Rows are measured as
// they appear; whoever reads further up keeps the place, whoever is at the end stays at the end (S4-B10).
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
/** Height where there is no layout. */
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
    void version // heights are kept by the place and not by the hook
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

  // Measuring keeps a row where it is that the reader was led to.
  useLayoutEffect(() => {
    if (box.current && place.lead(box.current, lead, rows, height)) moved(undefined)
  })
  // Whoever speaks is at the end.
  const heard = useRef(said)
  useLayoutEffect(() => {
    if (follow && said !== '' && said !== heard.current) toEnd()
    heard.current = said
  }, [said, follow, toEnd])
  // What is before the beginning is wanted where the reader is near it.
  useEffect(() => {
    const el = box.current
    if (!el || el.clientHeight === 0 || el.scrollTop >= TOP) return
    if (!place.atEnd || total < el.clientHeight + TOP) onTop.current?.()
  }, [place, items, total, onTop])
  // Measure what was drawn, then put the reader back where they were.
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
          {words.talk.newest}
        </button>
      )}
    </div>
  )
}

function named({ label, testid }: { label: string; testid?: string }) {
  return { 'aria-label': label, 'data-testid': testid }
}
