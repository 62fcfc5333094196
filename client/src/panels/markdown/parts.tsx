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

export function part(token: Token, depth: number): ComponentChildren {
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
