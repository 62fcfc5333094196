// Text that people and models wrote, shown as text (S0-B20): never parsed as HTML.
// Fences and back-quotes become code, doubled stars and headings become bold;
// nothing else is interpreted.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words'

/** What is shown of a long text before somebody asks for more, in characters. */
const FOLD = 3_000
/** What one more request shows: a browser lays out no more than this at once. */
const MORE = 200_000

export function Plain({ text }: { text: string }) {
  const parts = text.split(/^```[^\n]*\n?/m)
  return (
    <>
      {parts.map((part, i) =>
        i % 2 === 1 ? (
          <pre key={i} class="code">
            {part.replace(/\n$/, '')}
          </pre>
        ) : (
          <Fragment key={i}>{inline(i > 0 ? part.replace(/^\n/, '') : part)}</Fragment>
        ),
      )}
    </>
  )
}

function inline(text: string) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*|^#{1,4} [^\n]+)/m).map((piece, i) => {
    if (i % 2 === 0) return piece
    if (piece.startsWith('`')) return <code key={i}>{piece.slice(1, -1)}</code>
    return <strong key={i}>{piece.startsWith('#') ? piece.replace(/^#+ /, '') : piece.slice(2, -2)}</strong>
  })
}

/** A text that may be huge: its beginning, and the rest on request. */
export function Folding({ text, limit = FOLD }: { text: string; limit?: number }) {
  const [shown, setShown] = useState(limit)
  if (text.length <= limit * 1.2) return <Plain text={text} />
  const rest = text.length - shown
  return (
    <>
      <Plain text={rest > 0 ? cut(text, shown) : text} />
      <span class="fold">
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
      </span>
    </>
  )
}

/** The first n characters and an ellipsis; a pair of surrogates stays whole. */
export function cut(text: string, n: number): string {
  if (text.length <= n) return text
  const last = text.charCodeAt(n - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? n - 1 : n) + '…'
}

/** The last n characters of a text that still grows. */
export function tail(text: string, n: number): string {
  if (text.length <= n) return text
  const first = text.charCodeAt(text.length - n)
  return '…' + text.slice(text.length - (first >= 0xdc00 && first <= 0xdfff ? n - 1 : n))
}
