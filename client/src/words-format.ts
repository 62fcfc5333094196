// How numbers, times, sizes and lists are written in English.

export function plural(n: number, one: string, many = one + 's'): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

const numbers = new Intl.NumberFormat('en')

export function count(n: number): string {
  return numbers.format(n)
}

// To make a formatter takes a tenth of a millisecond, and a page writes hundreds of times.
const times = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const days = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** The time as a text; "" if it is not a time. */
function written(at: string | number, as: Intl.DateTimeFormat): string {
  const d = new Date(at)
  return Number.isNaN(d.getTime()) ? '' : as.format(d)
}

/** The time as hh:mm in the browser's time zone. */
export function clock(at: string | number): string {
  return written(at, times)
}

/** Date and time, for tooltips. */
export function moment(at: string): string {
  return written(at, moments)
}

/** Two times as a text, for example "Dec 1, 2026, 12:54 to 13:10", in the browser's time zone. */
export function period(from: string, to: string): string {
  const begin = `${written(from, dates)}, ${clock(from)}`
  const end = written(from, dates) === written(to, dates) ? clock(to) : `${written(to, dates)}, ${clock(to)}`
  return begin.endsWith(end) ? begin : `${begin} to ${end}`
}

/** The date with its weekday, in the browser's time zone. */
export function day(at: string | number): string {
  return written(at, days)
}

/** How long ago a time was, for example "5 minutes ago"; "just now" for less than a minute. */
export function ago(at: string | null, now: number): string {
  if (!at) return 'never'
  const minutes = Math.floor((now - new Date(at).getTime()) / 60_000)
  if (Number.isNaN(minutes)) return ''
  if (minutes < 1) return 'just now'
  if (minutes < 60) return plural(minutes, 'minute') + ' ago'
  if (minutes < 48 * 60) return plural(Math.floor(minutes / 60), 'hour') + ' ago'
  return plural(Math.floor(minutes / 1440), 'day') + ' ago'
}

/** Like ago in a few letters, for lists: "now", "5 min", "3 h", "2 d"; "" for no time. */
export function age(at: string | null, now: number): string {
  const minutes = Math.floor((now - Date.parse(at ?? '')) / 60_000)
  if (Number.isNaN(minutes)) return ''
  return minutes < 1 ? 'now' : span(minutes)
}

/** A number of whole minutes in a few letters: "5 min", "3 h", "2 d". */
export function span(minutes: number): string {
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}

/** For how long something has run: "42 s", "3 min 20 s", "2 h". */
export function elapsed(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000))
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 60) return span(minutes)
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

export function bytes(n: number): string {
  if (n < 1024) return plural(n, 'byte')
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10 * 1024 ? 1 : 0)} KB`
  return `${(n / 1024 / 1024).toFixed(1)} MB`
}

/** Separates facts. A line breaks before it and not after it, so that no line ends with it. */
export const DOT = ' ·\u00a0'

/** The facts in a row. Empty ones are left out. */
export function facts(all: readonly (string | false | undefined)[]): string {
  return all.filter(Boolean).join(DOT)
}

/** The names as a list in English: "a", "a and b", "a, b and c". */
export function join(names: readonly string[]): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`
}

/** A readable name made from an id, for a stage or an artifact that the template does not have. */
export function title(id: string): string {
  const words = id.replace(/[_-]+/g, ' ').trim()
  return words === '' ? id : words[0]?.toUpperCase() + words.slice(1)
}
