// Finds the entries that match the typed text (its letters in this order), the best match first. Pure.
import fuzzysort from 'fuzzysort'
import type { Entry } from './entries'

/** The maximum number of entries that are shown. */
export const MOST = 50
/** The number of conversations that are shown before the person types. */
const RECENT = 5
/** The minimum score of a match that is shown, from 0 to 1. */
const LEAST = 0.2
/** The weight of a match in an entry's note, compared with a match in its text. */
const NOTE = 0.6

export interface Fits {
  entries: readonly Entry[]
  /** Whether more entries match than are shown. */
  more: boolean
}

export function matches(entries: readonly Entry[], typed: string): Fits {
  const text = typed.trim()
  if (text === '') return first(entries)
  const last = entries.filter((e) => e.last)
  const found = fuzzysort.go(text, last.length > 0 ? entries.filter((e) => !e.last) : entries, {
    keys: ['text', 'note'],
    limit: MOST,
    threshold: LEAST,
    scoreFn: (r) => Math.max(r[0]?.score ?? 0, NOTE * (r[1]?.score ?? 0)),
  })
  const best = found.map((r) => r.obj).slice(0, MOST - last.length)
  return { entries: [...best, ...last], more: found.total > best.length }
}

/** The newest conversations and all commands. */
function first(entries: readonly Entry[]): Fits {
  const talks = entries.filter((e) => e.kind === 'talk').slice(0, RECENT)
  const commands = entries.filter((e) => e.kind === 'command')
  return { entries: [...talks, ...commands].slice(0, MOST), more: false }
}
