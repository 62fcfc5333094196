// Markdown that people and models wrote. A reader of Markdown gives its parts, and
// each becomes an element of this page: the text is never parsed as HTML (S0-B20),
// so tags in it are shown as they were written. Nothing is loaded from elsewhere:
// pictures are named, links lead out only when somebody follows one.
import type { ComponentChildren } from 'preact'
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { useMemo, useRef, useState } from 'preact/hooks'
import { words } from '../words'
import { Plain } from './plain'

/** What is read at once, in characters: some texts take time that grows with their square. */
const PIECE = 8_000
/** What is shown of a long text before somebody asks for more, and what one more request shows. */
export const FOLD = 20_000
const MORE = 60_000
/** What is shown of a text that still grows: between one and two of these. */
const GROWING = 10_000
/** Parts within parts; deeper ones are shown as they were written. */
const MAX_DEPTH = 16
/** A text that took longer to read than this, in milliseconds, is not read again at each word. */
const SLOW_MS = 24

/** A text, whole up to a length and then folded. */
export function Markdown({ text, limit = FOLD }: { text: string; limit?: number }) {
  const [shown, setShown] = useState(limit)
  if (text.length <= limit * 1.2) return <Pieces text={text} />
  const rest = text.length - shown
  return (
    <>
      <Pieces text={rest > 0 ? text.slice(0, breakBefore(text, shown)) : text} />
      <p class="fold">
        {rest > 0 && (
          <button type="button" class="link" onClick={() => setShown(shown + MORE)}>
            {rest > MORE ? words.talk.part : words.talk.all(text.length)}
          </button>
        )}
        {shown > limit && (
          <button type="button" class="link" onClick={() => setShown(limit)}>
            {words.talk.fold}
          </button>
        )}
      </p>
    </>
  )
}

/** A text that still grows: its end, in steps so large that what stands there stays where it is. */
export function GrowingMarkdown({ text }: { text: string }) {
  const slow = useRef(false)
  const from = text.length > 2 * GROWING ? text.indexOf('\n', Math.floor(text.length / GROWING - 1) * GROWING) + 1 : 0
  const fence = useMemo(() => fenceAfter(text.slice(0, from)), [from])
  const shown = fence === '' ? text.slice(from) : `${fence}\n${text.slice(from)}`
  const blocks = useMemo(() => {
    if (slow.current) return null
    const before = performance.now()
    const list = read(shown)
    slow.current = performance.now() - before > SLOW_MS
    return list
  }, [shown])
  return (
    <>
      {from > 0 && <p class="quiet">…</p>}
      {blocks ? <Blocks blocks={blocks} /> : <Plain text={shown} />}
    </>
  )
}

function Pieces({ text }: { text: string }) {
  const list = useMemo(() => pieces(text).map((piece) => read(piece) ?? piece), [text])
  return (
    <>
      {list.map((blocks, i) =>
        typeof blocks === 'string' ? <Plain key={i} text={blocks} /> : <Blocks key={i} blocks={blocks} />,
      )}
    </>
  )
}

/** The text in pieces that end with a line where they can; a block of code that is cut goes on as one. */
export function pieces(text: string): string[] {
  const out: string[] = []
  let open = ''
  for (let at = 0; at < text.length;) {
    const end = text.length - at <= PIECE * 1.2 ? text.length : breakBefore(text, at + PIECE, at)
    const piece = text.slice(at, end)
    out.push(open === '' ? piece : `${open}\n${piece}`)
    open = fenceAfter(piece, open)
    at = end
  }
  return out
}

/** The best place to cut at or before i: after an empty line, a line, a word, or at i. */
function breakBefore(text: string, i: number, from = 0): number {
  const least = Math.max(from + 1, i - PIECE / 2)
  for (const by of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(by, i - by.length)
    if (at >= least) return at + by.length
  }
  const code = text.charCodeAt(i)
  return code >= 0xdc00 && code <= 0xdfff ? i - 1 : i
}

/** The fence that is open after a text before which open was; "" outside of code. */
function fenceAfter(text: string, open = ''): string {
  for (const [, fence = '', info = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === '') open = fence
    else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === '') open = ''
  }
  return open
}

/** null where the text cannot be read: parts within parts without an end. */
function read(text: string): Token[] | null {
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return null
  }
}

function Blocks({ blocks }: { blocks: Token[] }) {
  return (
    <>
      {blocks.map((token, i) => (
        <Block key={i} token={token} />
      ))}
    </>
  )
}

/** Drawn anew only when its own text has changed. */
function Block({ token }: { token: Token }) {
  return useMemo(() => <>{part(token, 0)}</>, [token.raw])
}

function parts(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((t, i) => <Part key={i} token={t} depth={depth + 1} />)
}

function Part({ token, depth }: { token: Token; depth: number }) {
  return <>{part(token, depth)}</>
}

const HEADINGS = ['h4', 'h4', 'h5', 'h5', 'h6', 'h6'] as const

function part(token: Token, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return token.raw
  const t = token as MarkedToken
  switch (t.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{parts(t.tokens, depth)}</p>
    case 'heading': {
      const H = HEADINGS[t.depth - 1] ?? 'h6'
      return <H>{parts(t.tokens, depth)}</H>
    }
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          <code>{t.text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{parts(t.tokens, depth)}</blockquote>
    case 'list': {
      const items = t.items.map((item, i) => (
        <li key={i} class={item.task ? 'task' : undefined}>
          {parts(item.tokens, depth)}
        </li>
      ))
      return t.ordered ? <ol start={typeof t.start === 'number' ? t.start : 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'checkbox':
      return <span aria-label={t.checked ? words.talk.checked : words.talk.unchecked}>{t.checked ? '☑ ' : '☐ '}</span>
    case 'table':
      return <Table table={t} depth={depth} />
    case 'hr':
      return <hr />
    case 'html':
      return t.block ? <p>{t.raw.trim()}</p> : t.raw
    case 'text':
      return t.tokens ? parts(t.tokens, depth) : entities(t.text)
    case 'escape':
      return t.text
    case 'strong':
      return <strong>{parts(t.tokens, depth)}</strong>
    case 'em':
      return <em>{parts(t.tokens, depth)}</em>
    case 'del':
      return <del>{parts(t.tokens, depth)}</del>
    case 'codespan':
      return <code>{t.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Out href={t.href}>{t.tokens.length > 0 ? parts(t.tokens, depth) : t.href}</Out>
    case 'image':
      return <Out href={t.href}>{words.talk.picture(entities(t.text) || t.href)}</Out>
    default:
      return token.raw
  }
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }) {
  const cell = (c: Tokens.TableCell, i: number) => {
    const style = c.align ? { textAlign: c.align } : undefined
    return c.header ? (
      <th key={i} style={style}>
        {parts(c.tokens, depth)}
      </th>
    ) : (
      <td key={i} style={style}>
        {parts(c.tokens, depth)}
      </td>
    )
  }
  return (
    <div class="table-box" tabIndex={0}>
      <table>
        <thead>
          <tr>{table.header.map(cell)}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A link out of the page; where it would do anything else than show another page it is only its words. */
function Out({ href, children }: { href: string; children: ComponentChildren }) {
  const safe = safeHref(href)
  if (safe === null) return <>{children}</>
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** The address where it is one of another page or of a person, else null. */
export function safeHref(href: string): string | null {
  try {
    const url = new URL(href)
    return url.protocol === 'http:' || url.protocol === 'https:' || url.protocol === 'mailto:' ? url.href : null
  } catch {
    return null
  }
}

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' }

function entities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos|nbsp));/g,
    (whole, dec?: string, hex?: string, name?: string) => {
      if (name) return NAMED[name] ?? whole
      const code = dec ? Number(dec) : parseInt(hex ?? '', 16)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
    },
  )
}
