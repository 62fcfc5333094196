// What each speaker says on the map, at the speed of speech. Drivers write thousands of words a minute; the map shows a
// few words a second: the first sentences of each message, a bubble for each sentence. What waits of a speaker's older
// message is dropped when a newer one begins; the conversation still has all of it. The time is a parameter.
import { SPEEDS, type Speed } from '../../speech-speed'
import type { RealmModel } from '../../state/model'
import { splitAnswer } from '../../state/next-questions'
import { isSealed, type Sealed } from '../../state/sealed'
import { LONGEST } from './speech'

/**
 * The maximum number of sentences of a message that are spoken: the first ones of its first paragraph. No more wait of
 * a speaker, because a newer message overtakes them.
 */
export const MAX_WAITING = 3
/** The number of characters of a message that are searched for its first sentences. */
const SEARCHED = 4000
/** The minimum time for which a bubble is shown, in milliseconds. */
const SHORTEST_MS = 1200
/** The number of newest rows of a conversation that are searched for new text. */
const READ_ROWS = 64
/**
 * If the map was not drawn for this time, in milliseconds, what waited is not spoken any more: it would be said as if
 * it were said now.
 */
const STALE_MS = 20_000
/** The maximum number of rows in #heard; the oldest are dropped. */
const MAX_HEARD = 2000

interface Bubble {
  text: string
  /** When the bubble disappears, in milliseconds of the page's clock; 0 before it is shown. */
  until: number
}

/** A sentence that waits, and the message that it is of. */
interface Waiting {
  row: string
  text: string
}

interface Speaker {
  shown: Bubble | null
  waiting: Waiting[]
}

/** How much of a row was spoken: the length of the text of which bubbles were made, and the number of bubbles. */
interface Heard {
  length: number
  said: number
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
  /** By messageId, how much of a row was spoken already. */
  readonly #heard = new Map<string, Heard>()
  readonly #speakers = new Map<string, Speaker>()
  /** The time of the last call of says; NaN before the first. */
  #saidAt = NaN

  set speed(speed: Speed) {
    this.#speed = speed
  }

  /**
   * Queues bubbles for the text that arrived since the last call. attach: a text that differs each time that the
   * page begins to watch the realm, also after a reconnect. sealed: the answers that get no bubbles.
   */
  hear(r: RealmModel, attach: string, sealed: Sealed | null = null): void {
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
        if (first || isSealed(sealed, row))
          this.#remember(row.messageId, { length: text.length, said: bubbles(text).length })
        else this.#take(row.messageId, row.memberId, text, !open)
      }
    }
  }

  /** The text of each speaker's bubble at the time now, by member id. */
  says(now: number): Map<string, string> {
    const out = new Map<string, string>()
    if (now - this.#saidAt > STALE_MS) this.#speakers.clear()
    this.#saidAt = now
    for (const [id, s] of this.#speakers) {
      if (s.shown === null || now >= s.shown.until) {
        const text = s.waiting.shift()?.text
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
    const from = this.#heard.get(row) ?? { length: 0, said: 0 }
    if (text.length <= from.length) return
    const length = whole ? text.length : lastEnd(text)
    if (length <= from.length) return
    const all = bubbles(text.slice(0, length))
    this.#remember(row, { length, said: Math.max(from.said, all.length) })
    const said = all.slice(from.said)
    if (said.length === 0) return
    const s = this.#speakers.get(speaker) ?? { shown: null, waiting: [] }
    s.waiting = [...s.waiting.filter((w) => w.row === row), ...said.map((text) => ({ row, text }))]
    this.#speakers.set(speaker, s)
  }

  #remember(row: string, heard: Heard): void {
    this.#heard.delete(row)
    this.#heard.set(row, heard)
    if (this.#heard.size > MAX_HEARD) this.#heard.delete(this.#heard.keys().next().value!)
  }
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}

/** The index at which the last complete sentence of a growing text ends. */
function lastEnd(text: string): number {
  let end = 0
  for (const m of text.matchAll(/[.!?…](?=\s+(?!\p{Ll})\S)|\n+/gu)) end = m.index + m[0].length
  return end
}

/**
 * The bubbles of a message: the first sentences of its first paragraph, without Markdown. A message with headings or
 * lists is a report, of which only the first sentence is spoken. A list or a table without a sentence is not spoken.
 */
export function bubbles(text: string): string[] {
  const blocks = text
    .slice(0, SEARCHED)
    .replace(/```[\s\S]*?(```|$)/g, '\n\n')
    .replace(LISTED, '\n\n')
    .split(/\n\s*\n/)
  const first = blocks.map(sentences).find((s) => s.length > 0) ?? []
  return first.slice(0, text.search(LISTED) < 0 ? MAX_WAITING : 1).map(cut)
}

/** A heading, an item of a list with its indented lines, a row of a table or a quotation, in Markdown. */
const LISTED = /^[ \t]*(#{1,6}[ \t]|[-*+][ \t]|\d+[.)][ \t]|\||>).*$(\n[ \t]+\S.*$)*/gm

/** The sentences of a paragraph, without Markdown. */
function sentences(paragraph: string): string[] {
  return paragraph
    .split(/(?<=[.!?…])\s+(?!\p{Ll})|\n+/u)
    .map(plain)
    .filter((s) => /\p{L}/u.test(s))
}

function plain(sentence: string): string {
  return sentence
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]+/g, '')
    .trim()
}

/** Cuts a sentence that does not fit into a bubble between words, at its end. */
function cut(sentence: string): string {
  if (sentence.length <= LONGEST) return sentence
  const letters = [...sentence].slice(0, LONGEST - 1).join('')
  const end = letters.lastIndexOf(' ')
  return end > LONGEST / 2 ? `${letters.slice(0, end).replace(/[,;:]$/, '')} …` : `${letters}…`
}
