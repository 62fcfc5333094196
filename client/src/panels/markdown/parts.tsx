// Draws the tokens of parsed Markdown as elements of the page.
import { Fragment, type ComponentChildren } from 'preact'
import type { MarkedToken, Token } from 'marked'
import { words } from '../../words'
import { Table } from './table'
import { entities } from './entities'
import { Leaf } from './leaf'
import { Out } from './out'

/** The maximum depth of nested elements. A token that is nested deeper is shown as source text. */
const MAX_DEPTH = 16

export function parts(tokens: readonly Token[] = [], depth: number): ComponentChildren {
  return joined(tokens).map((t, i) => (
    <Fragment key={i}>{typeof t === 'string' ? <Leaf text={t} /> : part(t, depth + 1)}</Fragment>
  ))
}

/** The tokens, with texts beside each other joined, because an escaped character in a name is a token by itself. */
function joined(tokens: readonly Token[]): (Token | string)[] {
  const out: (Token | string)[] = []
  for (const t of tokens) {
    const text = plain(t as MarkedToken)
    const last = out.at(-1)
    if (text === null) out.push(t)
    else if (typeof last === 'string') out[out.length - 1] = last + text
    else out.push(text)
  }
  return out
}

/** The text of a token without structure; null for every other token. */
function plain(t: MarkedToken): string | null {
  if (t.type === 'escape') return t.text
  return t.type === 'text' && !t.tokens ? entities(t.text) : null
}

const HEADINGS = ['h4', 'h4', 'h5', 'h5', 'h6', 'h6'] as const

/** The functions that draw tokens, by the type of the token. */
const PARTS: { readonly [K in MarkedToken['type']]?: Draw<Extract<MarkedToken, { type: K }>> } = {
  space: () => null,
  def: () => null,
  paragraph: (t, depth) => <p dir="auto">{parts(t.tokens, depth)}</p>,
  heading: (t, depth) => {
    const H = HEADINGS[t.depth - 1] ?? 'h6'
    return <H dir="auto">{parts(t.tokens, depth)}</H>
  },
  code: (t) => (
    <pre class="code" tabIndex={0}>
      <code>{t.text}</code>
    </pre>
  ),
  blockquote: (t, depth) => <blockquote>{parts(t.tokens, depth)}</blockquote>,
  list: (t, depth) => {
    const items = t.items.map((item, i) => (
      <li key={i} dir="auto" class={item.task ? 'task' : undefined}>
        {parts(item.tokens, depth)}
      </li>
    ))
    return t.ordered ? <ol start={typeof t.start === 'number' ? t.start : 1}>{items}</ol> : <ul>{items}</ul>
  },
  checkbox: (t) => (
    <span aria-label={t.checked ? words.transcript.checked : words.transcript.unchecked}>
      {t.checked ? '☑ ' : '☐ '}
    </span>
  ),
  table: (t, depth) => <Table table={t} depth={depth} />,
  hr: () => <hr />,
  html: (t) => (t.block ? <p dir="auto">{t.raw.trim()}</p> : t.raw),
  text: (t, depth) => parts(t.tokens ?? [t], depth),
  strong: (t, depth) => <strong>{parts(t.tokens, depth)}</strong>,
  em: (t, depth) => <em>{parts(t.tokens, depth)}</em>,
  del: (t, depth) => <del>{parts(t.tokens, depth)}</del>,
  codespan: (t) => (
    <code>
      <Leaf text={t.text} />
    </code>
  ),
  br: () => <br />,
  link: (t, depth) => <Out href={t.href}>{t.tokens.length > 0 ? parts(t.tokens, depth) : t.href}</Out>,
  image: (t) => <Out href={t.href}>{words.transcript.picture(entities(t.text) || t.href)}</Out>,
}

type Draw<T> = (t: T, depth: number) => ComponentChildren

/** The element of a token. A token of an unknown type, or deeper than MAX_DEPTH, is shown as source text. */
export function part(token: Token, depth: number): ComponentChildren {
  const type = token.type as MarkedToken['type']
  if (depth > MAX_DEPTH || !Object.hasOwn(PARTS, type)) return token.raw
  // The type system cannot express that the entry of PARTS and the token have the same type.
  return (PARTS[type] as Draw<Token>)(token, depth)
}
