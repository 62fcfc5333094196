// Routing markers of a party as the page shows and writes them. [FROM: ...] and [TEAM_TASK: ...] stay in the stored
// text and are shown as chips; the composer writes [NEXT: ...] and [DROP: ...]. The server decides which markers take
// effect (server/party: marks.go, guard.go): those in the last lines, outside of code, quotes and other brackets. The
// page applies the same rules. So it shows no chip for a marker without effect and does not hide a marker that a text
// only mentions.

export interface MarkedText {
  text: string
  from: string
  /** The value of the TEAM_TASK marker; null without such a marker. "" deletes the task. */
  task: string | null
}

/**
 * The text without the markers of its last lines, and the markers' values. A [FROM: name] stays in the text if follows
 * returns false for the name.
 */
export function readMarkers(text: string, follows: (name: string) => boolean = () => true): MarkedText {
  const out: MarkedText = { text, from: '', task: null }
  if (!text.includes('[')) return out
  const lines = lastLines(text)
  const gone = (m: Mark) => m.kind !== 'FROM' || follows(tidy(m.value))
  if (!lines.some((l) => l.marks.some(gone))) return out
  let kept = text.slice(0, lines[0]?.start)
  for (const l of lines) {
    for (const m of l.marks.filter(gone)) {
      if (m.kind === 'FROM') out.from = tidy(m.value) || out.from
      if (m.kind === 'TEAM_TASK') out.task = m.value.trim()
    }
    const left = l.marks.filter((m) => !gone(m)).map((m) => text.slice(m.start, m.end))
    if (!l.pure) kept += without(text, l, gone) + '\n'
    else if (left.length > 0) kept += left.join(' ') + '\n'
  }
  return { ...out, text: kept.trimEnd() }
}

const tidy = (name: string) => name.replace(/^[\s@*"'“”„«»]+|[\s@*"'“”„«»]+$/g, '')

/** Whether two names are the same apart from case, spaces, dashes and underscores. */
export const sameName = (a: string, b: string): boolean => folded(a) !== '' && folded(a) === folded(b)
const folded = (s: string) =>
  s
    .normalize('NFKC')
    .replace(/[\s_\p{Pd}\p{Cf}]/gu, '')
    .toUpperCase()
    .toLowerCase()

/** A marker that takes effect, with its position in the whole text. */
interface Mark {
  start: number
  end: number
  kind: string
  value: string
}

interface Line {
  start: number
  end: number
  marks: Mark[]
  /** Whether the line has only markers. */
  pure: boolean
}

interface Block {
  start: number
  end: number
  kind: 'text' | 'blank' | 'code'
}

/** The lines on which markers take effect, from the top. */
function lastLines(text: string): Line[] {
  const all = blocks(text)
  const out: Line[] = []
  for (let i = all.length - 1; i >= 0; i--) {
    const b = all[i]!
    if (b.kind === 'code') break
    if (b.kind === 'blank') continue
    let first = i // the first line of the paragraph
    while (first > 0 && all[first - 1]!.kind === 'text') first--
    const base = all[first]!.start
    const guards = inline(text.slice(base, b.end), all.slice(first, i + 1), base)
    for (; i >= first; i--) {
      const { start, end } = all[i]!
      const l: Line = { start, end, marks: marksIn(text, start, end, guards, base), pure: false }
      l.pure = l.marks.length > 0 && /^[\s*_\-+~.,:;!?]*$/.test(without(text, l, () => true))
      out.unshift(l)
      if (!l.pure) return out
    }
    i++ // cancels the loop's own decrement
  }
  return out
}

/** Splits a text into lines, each with its kind. */
function blocks(text: string): Block[] {
  const out: Block[] = []
  let fence = ''
  let last: Block['kind'] = 'blank'
  let at = 0
  for (const s of text.split('\n')) {
    const trimmed = s.replace(/^[ \t]+/, '')
    let kind: Block['kind'] = 'text'
    if (fence !== '') {
      kind = 'code'
      const run = /^(`+|~+)\s*$/.exec(trimmed)?.[1] ?? ''
      if (run[0] === fence[0] && run.length >= fence.length) fence = ''
    } else if (s.trim() === '') kind = 'blank'
    else {
      fence = opens(trimmed)
      if (fence !== '' || trimmed.startsWith('>') || (last !== 'text' && /^( {4}| {0,3}\t)/.test(s))) kind = 'code'
    }
    out.push({ start: at, end: at + s.length, kind })
    last = kind
    at += s.length + 1
  }
  return out
}

/** The code fence that a line opens, also after bullets; "" for none. */
const opens = (s: string): string => /^(?:\d*[-*+.)][ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/.exec(s)?.[1] ?? ''

const CODE = 1
const QUOTED = 2
const ESCAPED = 4

/** For each character of a paragraph: whether it is in code, in quotes or escaped. */
function inline(p: string, lines: Block[], base: number): Uint8Array {
  const guards = new Uint8Array(p.length)
  for (let i = 0; i < p.length;) {
    if (p[i] === '\\' && i + 1 < p.length && p[i + 1] !== '\n' && p.charCodeAt(i + 1) < 0x80) {
      guards[i + 1] = ESCAPED
      i += 2
      continue
    }
    const run = p[i] === '`' ? (/^`+/.exec(p.slice(i, i + 200))?.[0] ?? '`') : ''
    if (run === '') {
      i++
      continue
    }
    let end = i + run.length
    for (;;) {
      end = p.indexOf(run, end)
      if (end < 0 || (p[end - 1] !== '`' && p[end + run.length] !== '`')) break
      while (p[end] === '`') end++
    }
    if (end >= 0) guards.fill(CODE, i, end + run.length)
    i = end >= 0 ? end + run.length : i + run.length
  }
  for (const l of lines) quotes(p, l.start - base, l.end - base, guards)
  return guards
}

const CLOSERS: Record<string, string> = { '"': '"', '“': '”', '„': '“”', '«': '»', '「': '」', '『': '』', '‹': '›' }

/** Marks in guards the text between double quotation marks on a line. An unpaired quotation mark has no effect. */
function quotes(p: string, start: number, end: number, guards: Uint8Array): void {
  for (let i = start; i < end; i++) {
    const ends = guards[i] === 0 ? CLOSERS[p[i]!] : undefined
    if (ends === undefined) continue
    let j = i + 1
    while (j < end && !(guards[j] === 0 && ends.includes(p[j]!))) j++
    if (j === end) continue
    for (let k = i; k <= j; k++) guards[k]! |= QUOTED
    i = j
  }
}

/** The markers of a line: outermost pairs of brackets that are not quoted or escaped and contain no code. */
function marksIn(text: string, start: number, end: number, guards: Uint8Array, base: number): Mark[] {
  const open: number[] = []
  let out: Mark[] = []
  for (let i = start; i < end; i++) {
    if (guards[i - base] !== 0) continue
    if (text[i] === '[') open.push(i)
    const from = text[i] === ']' ? open.pop() : undefined
    if (from === undefined) continue
    out = out.filter((m) => m.start < from)
    out.push({ start: from, end: i + 1, kind: '', value: '' })
  }
  return out.flatMap((m) => {
    const [, word = '', value = ''] = /^([^:：]*)[:：]([^]*)$/.exec(text.slice(m.start + 1, m.end - 1)) ?? []
    const kind = word.trim().toUpperCase()
    const quoted = alone(text[m.start - 1], text[m.end])
    return /^(FROM|TEAM_TASK|NEXT|DROP)$/.test(kind) &&
      !quoted &&
      !guards.subarray(m.start - base, m.end - base).some((g) => g & CODE)
      ? [{ ...m, kind, value }]
      : []
  })
}

/** Whether a marker is between single quotation marks. before, after: the characters beside the marker. */
const alone = (before = '', after = ''): boolean =>
  before !== '' && after !== '' && "'‘‚‛’".includes(before) && "'’‘".includes(after)

/** The line l without the markers for which gone returns true. Spaces around such a marker become one space. */
function without(text: string, l: Line, gone: (m: Mark) => boolean): string {
  let out = ''
  let at = l.start
  const add = (piece: string) => {
    if (at > l.start) {
      out = out.replace(/[ \t]+$/, '')
      piece = piece.replace(/^[ \t]+/, '')
      if (out !== '' && piece !== '' && !/^[.,;!?]/.test(piece)) out += ' '
    }
    out += piece
  }
  for (const m of l.marks) {
    if (!gone(m)) continue
    add(text.slice(at, m.start))
    at = m.end
  }
  add(text.slice(at, l.end))
  return out
}

/** TAIL matches all NEXT and DROP markers at the end of a person's message, ONE matches one of them. */
const TAIL = /(?:\s*\[(?:NEXT|DROP):[^\]\n]*\])+\s*$/i
const ONE = /\[(NEXT|DROP):([^\]\n]*)\]/gi

interface Wishes {
  body: string
  next: string[]
  drop: string[]
}

/** Splits a message into its text and the names in its NEXT and DROP markers. */
function wishesIn(text: string): Wishes {
  const tail = TAIL.exec(text)?.[0] ?? ''
  const out: Wishes = { body: text.slice(0, text.length - tail.length), next: [], drop: [] }
  for (const [, kind = '', names = ''] of tail.matchAll(ONE)) {
    const list = kind.toUpperCase() === 'NEXT' ? out.next : out.drop
    for (const name of names.split(',').map((n) => n.trim())) if (name !== '' && !list.includes(name)) list.push(name)
  }
  return out
}

function written({ body, next, drop }: Wishes): string {
  const parts = [
    body.trimEnd(),
    drop.length > 0 ? `[DROP: ${drop.join(', ')}]` : '',
    next.length > 0 ? `[NEXT: ${next.join(', ')}]` : '',
  ]
  return parts.filter(Boolean).join(' ')
}

const means = (name: string) => (s: string) => sameName(s.replace(/!P[123]$/i, ''), name)
const toggled = (list: string[], name: string) =>
  list.some(means(name)) ? list.filter((s) => !means(name)(s)) : [...list, name]

/** Adds the name to the NEXT marker or, if the marker has the name, removes it. */
export function toggleNext(text: string, name: string): string {
  const now = wishesIn(text)
  return written({ ...now, next: toggled(now.next, name) })
}

/**
 * The members and people to whom a text speaks by name at its beginning, as in "Sage, ...", "Sage and Healer: ..." and
 * "@Sage ...". Empty for a text with a NEXT or DROP marker, which says more exactly who is asked.
 */
export function spokenTo<M extends Named>(text: string, members: readonly M[]): M[] {
  const { body, next, drop } = wishesIn(text)
  if (next.length > 0 || drop.length > 0) return []
  const out: M[] = []
  let sure = 0 // the number of members at the beginning of out to whom the text speaks without a doubt
  let rest = body.trimStart()
  for (;;) {
    const at = rest.startsWith('@')
    if (at) rest = rest.slice(1)
    const found = members.map((m) => ({ m, length: nameAt(rest, m) })).sort((a, b) => b.length - a.length)[0]
    if (!found || found.length === 0) break
    if (!out.includes(found.m)) out.push(found.m)
    const [separator = ''] = /^\s*(?:[,:，、：]|and\b|&)?\s*/i.exec(rest.slice(found.length)) ?? []
    if (at || /[,:，、：]/.test(separator)) sure = out.length
    rest = rest.slice(found.length + separator.length)
    if (separator.trim() === '' && !rest.startsWith('@')) break
  }
  return out.slice(0, sure)
}

/** The length of the longest name of m with which the text begins as whole words; 0 if it begins with none. */
function nameAt(text: string, m: Named): number {
  const whole = (n: string) => !/^[\p{L}\p{N}_'’-]/u.test(text.slice(n.length))
  const lengths = [m.id, m.name, m.displayName].map((n) =>
    n !== '' && text.slice(0, n.length).toLowerCase() === n.toLowerCase() && whole(n) ? n.length : 0,
  )
  return Math.max(...lengths)
}

/**
 * The text with a NEXT marker for those to whom it speaks by name. names: the members and people that it can name;
 * members: the members of the team.
 */
export function withSpokenTo(text: string, names: readonly Named[], members: readonly Named[] = names): string {
  const asked = new Set(spokenTo(text, names).map(askedAs))
  return [...asked].reduce((said, id) => {
    const m = members.find((x) => x.id === id)
    return m ? toggleNext(said, addressOf(m, members)) : said
  }, text)
}

/** The id of the member that is asked if a text speaks to m. */
export const askedAs = (m: Named): string => m.speaksAs ?? m.id

/** The length of the text without its markers: where a person goes on to write. */
export function endOfWords(text: string): number {
  return wishesIn(text).body.trimEnd().length
}

/** Whether the NEXT marker has the name. */
export function hasNext(text: string, name: string): boolean {
  return wishesIn(text).next.some(means(name))
}

/** Adds the name to the DROP marker or, if the marker has the name, removes it. */
export function toggleDrop(text: string, name: string): string {
  const now = wishesIn(text)
  return written({ ...now, drop: toggled(now.drop, name) })
}

/** Whether the DROP marker has the name, or "all". */
export function hasDrop(text: string, name: string): boolean {
  return wishesIn(text).drop.some((s) => means(name)(s) || means('all')(s))
}

/**
 * The text that names the member m in a marker: m's name; m's id if the name also fits another member, is "all", or
 * contains a character that has a meaning in a marker.
 */
export function addressOf(m: Named, all: readonly Named[]): string {
  const calls = (o: Named) => [o.id, o.name, o.displayName].some((n) => sameName(n, m.name))
  return /[,，、!:：[\]\n]/.test(m.name) || sameName(m.name, 'all') || all.some((o) => o.id !== m.id && calls(o))
    ? m.id
    : m.name
}

export interface Named {
  id: string
  name: string
  displayName: string
  /** The id of the member as whom a person of the realm speaks; absent for a member. */
  speaksAs?: string
}
