// Text of people and models, never parsed as HTML (S0-B20). Code fences and backquotes become code, double asterisks
// and headings become bold; nothing else is interpreted.
import { Fragment } from 'preact'
import { wholeFlags } from './flags'

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
    if (i % 2 === 0) return <Fragment key={i}>{wholeFlags(piece)}</Fragment>
    if (piece.startsWith('`')) return <code key={i}>{wholeFlags(piece.slice(1, -1))}</code>
    return <strong key={i}>{piece.startsWith('#') ? piece.replace(/^#+ /, '') : piece.slice(2, -2)}</strong>
  })
}
