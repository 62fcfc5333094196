// A text that may be huge: its beginning, and the rest on request.
import { useState } from 'preact/hooks'
import { FoldButtons } from './fold-buttons'
import { Plain } from './plain'
import { cut } from './cut'

/** The length shown at first, in characters. */
const FOLD = 3_000

/** The length that one click adds, which a browser can lay out at once. */
const MORE = 200_000

export function Folding({ text, limit = FOLD }: { text: string; limit?: number }) {
  const [shown, setShown] = useState(limit)
  if (text.length <= limit * 1.2) return <Plain text={text} />
  return (
    <>
      <Plain text={shown < text.length ? cut(text, shown) : text} />
      <span class="fold">
        <FoldButtons length={text.length} shown={shown} limit={limit} more={MORE} show={setShown} />
      </span>
    </>
  )
}
