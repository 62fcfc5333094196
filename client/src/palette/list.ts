// The list of the palette: which entries it shows, and which of them is selected. The entries can change while the
// person looks at them, because the server finds files later than the page. The part of the list down to the
// selected entry then stays unchanged, so that Enter and a click open the entry that the person sees. Pure.
import type { Entry } from './entries'
import { matches, MOST } from './match'

export interface List {
  typed: string
  entries: readonly Entry[]
  /** Whether more entries match than are shown. */
  more: boolean
  /** The index of the selected entry; -1 for none. */
  at: number
}

/** The new list after the person has changed the text. */
export function typing(all: readonly Entry[], typed: string): List {
  const { entries, more } = matches(all, typed)
  return { typed, entries, more, at: entries.length > 0 ? 0 : -1 }
}

/**
 * The list after the known entries have changed. pointed: the index of the entry under the pointer, -1 for none.
 * Entries that are gone leave the list; if the selected one is gone, none is selected.
 */
export function changed(list: List, all: readonly Entry[], pointed: number): List {
  if (list.entries.length === 0) return typing(all, list.typed)
  const fits = matches(all, list.typed)
  const known = new Map(all.map((e) => [e.id, e]))
  const kept = list.entries.slice(0, Math.max(list.at, pointed) + 1).flatMap((e) => known.get(e.id) ?? [])
  const stay = new Set(kept.map((e) => e.id))
  const rest = fits.entries.filter((e) => !stay.has(e.id))
  const entries = [...kept, ...rest].slice(0, MOST)
  const selected = list.entries[list.at]?.id
  const more = fits.more || kept.length + rest.length > MOST
  return { typed: list.typed, entries, more, at: entries.findIndex((e) => e.id === selected) }
}

/** The list after a key; null if the key does not move the selection. */
export function moved(list: List, key: string): List | null {
  const { at, entries } = list
  const last = entries.length - 1
  if (last < 0) return null
  if (key === 'ArrowDown') return { ...list, at: at < last ? at + 1 : 0 }
  if (key === 'ArrowUp') return { ...list, at: at > 0 ? at - 1 : last }
  if (key === 'PageDown') return { ...list, at: Math.min(last, at + 10) }
  if (key === 'PageUp') return { ...list, at: Math.max(0, at - 10) }
  return null
}
