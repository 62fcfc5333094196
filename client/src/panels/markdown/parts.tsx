// The elements of a text's tokens.
import type { ComponentChildren } from 'preact'
import type { MarkedToken, Token } from 'marked'
import { words } from '../../words'
import { Part } from './part'
import { Table } from './table'
import { entities } from './entities'
import { Out } from './out'

/** Parts within parts; deeper ones are shown as they were written. */
const MAX_DEPTH = 16

export function parts(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((t, i) => <Part key={i} token={t} depth={depth + 1} />)
}

const HEADINGS = ['h4', 'h4', 'h5', 'h5', 'h6', 'h6'] as const

/** The element of each type of token. */
const PARTS: { readonly [K in MarkedToken['type']]?: Draw<Extract<MarkedToken, { type: K }>> } = {
  space: () => null,
  def: () => null,
  paragraph: (t, depth) => <p>{parts(t.tokens, depth)}</p>,
  heading: (t, depth) => {
    const H = HEADINGS[t.depth - 1] ?? 'h6'
    return <H>{parts(t.tokens, depth)}</H>
  },
  code: (t) => (
    <pre class="code" tabIndex={0}>
      <code>{t.text}</code>
    </pre>
  ),
  blockquote: (t, depth) => <blockquote>{parts(t.tokens, depth)}</blockquote>,
  list: (t, depth) => {
    const items = t.items.map((item, i) => (
      <li key={i} class={item.task ? 'task' : undefined}>
        {parts(item.tokens, depth)}
      </li>
    ))
    return t.ordered ? <ol start={typeof t.start === 'number' ? t.start : 1}>{items}</ol> : <ul>{items}</ul>
  },
  checkbox: (t) => (
    <span aria-label={t.checked ? words.talk.checked : words.talk.unchecked}>{t.checked ? '☑ ' : '☐ '}</span>
  ),
  table: (t, depth) => <Table table={t} depth={depth} />,
  hr: () => <hr />,
  html: (t) => (t.block ? <p>{t.raw.trim()}</p> : t.raw),
  text: (t, depth) => (t.tokens ? parts(t.tokens, depth) : entities(t.text)),
  escape: (t) => t.text,
  strong: (t, depth) => <strong>{parts(t.tokens, depth)}</strong>,
  em: (t, depth) => <em>{parts(t.tokens, depth)}</em>,
  del: (t, depth) => <del>{parts(t.tokens, depth)}</del>,
  codespan: (t) => <code>{t.text}</code>,
  br: () => <br />,
  link: (t, depth) => <Out href={t.href}>{t.tokens.length > 0 ? parts(t.tokens, depth) : t.href}</Out>,
  image: (t) => <Out href={t.href}>{words.talk.picture(entities(t.text) || t.href)}</Out>,
}

type Draw<T> = (t: T, depth: number) => ComponentChildren

/** A type that is not known is shown as it was written. */
export function part(token: Token, depth: number): ComponentChildren {
  const type = token.type as MarkedToken['type']
  if (depth > MAX_DEPTH || !Object.hasOwn(PARTS, type)) return token.raw
  // The table's type pairs each entry with its token, which a look-up by a union cannot say.
  return (PARTS[type] as Draw<Token>)(token, depth)
}
