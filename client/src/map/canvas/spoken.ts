// What each speaker says on the map, at the speed of speech. Drivers write thousands of words a minute; the map shows a
// few words a second, sentence by sentence. If a speaker's queue is full, sentences are dropped; the conversation still
// has all of them. The time is a parameter.
import { SPEEDS, type Speed } from '../../speech-speed'
import type { RealmModel } from '../../state/model'
import { splitAnswer } from '../../state/next-questions'
import { LONGEST } from './speech'

/** The maximum number of waiting bubbles of a speaker; the oldest is dropped. */
export const MAX_WAITING = 3
/** The minimum time for which a bubble is shown, in milliseconds. */
const SHORTEST_MS = 1200
/** About the length of a word, in characters: parts of a sentence differ by it, because they end between words. */
const WORD = 10
/** The number of newest rows of a conversation that are searched for new text. */
const READ_ROWS = 64
/** The maximum number of rows in #heard, which has how much of each row was spoken; the oldest are dropped. */
const MAX_HEARD = 2000

interface Bubble {
  text: string
  /** When the bubble disappears, in milliseconds of the page's clock; 0 before it is shown. */
  until: number
}

interface Speaker {
  shown: Bubble | null
  waiting: string[]
}

export class Spoken {
  #speed: Speed = 'normal'
  #attach: string | null = null
  /**
   * The views and streams at the last call. They are replaced by new objects when they change, so comparing
   * references finds changes.
   */
  #known: { views: unknown; streams: unknown } = { views: null, streams: null }
  /** The realm's newest seq when the page began to watch it. Rows up to this seq get no bubbles. */
  #from = 0
  /** By messageId, the number of characters of a row for which bubbles were queued already. */
  readonly #heard = new Map<string, number>()
  readonly #speakers = new Map<string, Speaker>()

  set speed(speed: Speed) {
    this.#speed = speed
  }

  /**
   * Queues bubbles for the text that arrived since the last call. attach: a text that differs each time that the
   * page begins to watch the realm, also after a reconnect.
   */
  hear(r: RealmModel, attach: string): void {
    const first = attach !== this.#attach
    const { views, streams } = r
    if (!first && views === this.#known.views && streams === this.#known.streams) return
    this.#known = { views, streams }
    if (first) {
      this.#attach = attach
      this.#from = r.world.tick
      this.#heard.clear()
      this.#speakers.clear()
    }
    for (const view of Object.values(views)) {
      const rows = view.messages
      for (let i = Math.max(0, rows.length - READ_ROWS); i < rows.length; i++) {
        const row = rows[i]!
        if (row.role !== 'assistant' || !row.memberId) continue
        const open = row.status === 'open'
        if (!open && (row.seq ?? 0) <= this.#from && !this.#heard.has(row.messageId)) continue
        const { text } = splitAnswer(open ? (streams[row.messageId]?.text ?? '') : row.content)
        if (first) this.#remember(row.messageId, text.length)
        else this.#take(row.messageId, row.memberId, text, !open)
      }
    }
  }

  /** The text of each speaker's bubble at the time now, by member id. */
  says(now: number): Map<string, string> {
    const out = new Map<string, string>()
    for (const [id, s] of this.#speakers) {
      if (s.shown === null || now >= s.shown.until) {
        const text = s.waiting.shift()
        s.shown = text === undefined ? null : { text, until: now + this.#duration(text) }
      }
      if (s.shown) out.set(id, s.shown.text)
      else this.#speakers.delete(id)
    }
    return out
  }

  #duration(text: string): number {
    return Math.max(SHORTEST_MS, (1000 * wordsOf(text)) / SPEEDS[this.#speed])
  }

  #take(row: string, speaker: string, text: string, whole: boolean): void {
    const from = this.#heard.get(row) ?? 0
    if (text.length <= from) return
    const end = whole ? text.length : lastEnd(text)
    if (end <= from) return
    this.#remember(row, end)
    const said = bubbles(text.slice(from, end))
    if (said.length === 0) return
    const s = this.#speakers.get(speaker) ?? { shown: null, waiting: [] }
    s.waiting.push(...said)
    s.waiting.splice(0, s.waiting.length - MAX_WAITING)
    this.#speakers.set(speaker, s)
  }

  #remember(row: string, end: number): void {
    this.#heard.delete(row)
    this.#heard.set(row, end)
    if (this.#heard.size > MAX_HEARD) this.#heard.delete(this.#heard.keys().next().value!)
  }
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}

/** The index at which the last complete sentence of a growing text ends. */
function lastEnd(text: string): number {
  let end = 0
  for (const m of text.matchAll(/[.!?…](?=\s)|\n+/g)) end = m.index + m[0].length
  return end
}

/** Splits a text into bubbles: one for each sentence, without Markdown, and several for a long sentence. */
export function bubbles(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(```|$)/g, '\n')
    .split(/(?<=[.!?…])\s+|\n+/)
    .map(plain)
    .filter((s) => /\p{L}/u.test(s))
    .flatMap(parts)
}

/** A line without Markdown; '' for a row of a table. */
function plain(line: string): string {
  if (/^\s*\|/.test(line)) return ''
  return line
    .replace(/^[#>*\-\s]+|^\s*\d+\.\s+/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]+/g, '')
    .trim()
}

/** Splits a sentence between words into parts of about the same length that fit into a bubble. */
function parts(sentence: string): string[] {
  const out: string[] = []
  const fair = sentence.length / Math.ceil(sentence.length / LONGEST)
  const longest = Math.min(LONGEST, fair + WORD)
  let part = ''
  for (const word of sentence.split(/\s+/)) {
    if (part !== '' && part.length + 1 + word.length > longest) {
      out.push(`${part} …`)
      part = ''
    }
    part = part === '' ? [...word].slice(0, LONGEST).join('') : `${part} ${word}`
  }
  return part === '' ? out : [...out, part]
}
