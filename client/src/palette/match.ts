// Which entries of the palette fit what was typed: the letters in order, best fit first. Pure.
import fuzzysort from 'fuzzysort'
import type { Entry } from './entries'

/** The greatest number of entries that are shown. */
export const MOST = 50
/** The number of talks that are shown while nothing is typed. */
const RECENT = 5
/** How little of a fit is still shown, from 0 to 1. */
const LEAST = 0.2
/** What a fit of the note is worth, compared with one of the text. */
const NOTE = 0.6

export interface Fits {
  entries: readonly Entry[]
  /** Whether more entries fit than are shown. */
  more: boolean
}

export function matches(entries: readonly Entry[], typed: string): Fits {
  const text = typed.trim()
  if (text === '') return first(entries)
  const found = fuzzysort.go(text, entries, {
    keys: ['text', 'note'],
    limit: MOST,
    threshold: LEAST,
    scoreFn: (r) => Math.max(r[0]?.score ?? 0, NOTE * (r[1]?.score ?? 0)),
  })
  return { entries: found.map((r) => r.obj), more: found.total > found.length }
}

/** The newest talks and the commands. */
function first(entries: readonly Entry[]): Fits {
  const talks = entries.filter((e) => e.kind === 'talk').slice(0, RECENT)
  const commands = entries.filter((e) => e.kind === 'command')
  return { entries: [...talks, ...commands].slice(0, MOST), more: false }
}
