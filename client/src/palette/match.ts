// Finds the entries that match the typed text, the best match first: words of the text, then beginnings of words, then
// parts of words. Entries that only have the letters in this order are found if there is nothing better. Pure.
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
  const words = text.toLowerCase().split(/\s+/)
  let whole = 0
  const found = fuzzysort.go(text, last.length > 0 ? entries.filter((e) => !e.last) : entries, {
    keys: ['text', 'note'],
    limit: MOST,
    threshold: LEAST,
    scoreFn: (r) => {
      const score = Math.max(r[0]?.score ?? 0, NOTE * (r[1]?.score ?? 0))
      const rank = score < LEAST ? 0 : rankOf(words, r.obj)
      if (rank > 0) whole++
      return rank + score
    },
  })
  const total = whole > 0 ? whole : found.total
  const best = found.slice(0, Math.min(whole > 0 ? whole : MOST, MOST - last.length)).map((r) => r.obj)
  return { entries: [...best, ...last], more: total > best.length }
}

/** How well a word matches a text: not at all, as a part of a word, as the beginning of a word, as a whole word. */
type Fit = 0 | 1 | 2 | 3

/** The rank of a match in an entry's text and in its note, by how well its worst word matches. */
const IN_TEXT = [0, 3, 5, 6] as const
const IN_NOTE = [0, 1, 2, 4] as const

/** The rank of an entry; 0 if it only has the letters of the words in their order. */
function rankOf(words: readonly string[], { text, note }: Entry): number {
  const worst = (s: string): Fit => words.reduce<Fit>((fit, w) => Math.min(fit, fitOf(w, s)) as Fit, 3)
  return Math.max(IN_TEXT[worst(text)], IN_NOTE[worst(note)], worst(`${text} ${note}`) > 0 ? 1 : 0)
}

/** A letter or digit, which belongs to a word; a capital letter after a small one begins another word. */
const IN_WORD = /[\p{L}\p{N}]/u

function fitOf(word: string, text: string): Fit {
  const low = text.toLowerCase()
  let fit: Fit = 0
  for (let at = low.indexOf(word); at >= 0 && fit < 3; at = low.indexOf(word, at + 1)) {
    if (!isEdge(text, at)) fit = Math.max(fit, 1) as Fit
    else fit = Math.max(fit, isEdge(text, at + word.length) ? 3 : 2) as Fit
  }
  return fit
}

/** Whether a word begins or ends before the letter at an index. */
function isEdge(text: string, at: number): boolean {
  const [before, after] = [text[at - 1] ?? '', text[at] ?? '']
  return !IN_WORD.test(before) || !IN_WORD.test(after) || /\p{Ll}\p{Lu}/u.test(before + after)
}

/** The newest conversations and all commands. */
function first(entries: readonly Entry[]): Fits {
  const talks = entries.filter((e) => e.kind === 'talk').slice(0, RECENT)
  const commands = entries.filter((e) => e.kind === 'command')
  return { entries: [...talks, ...commands].slice(0, MOST), more: false }
}
