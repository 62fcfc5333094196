// Shows the beginning of a long text, and more of it on each click.
import { useState } from 'preact/hooks'
import { FoldButtons } from './fold-buttons'
import { Plain } from './plain'
import { cut } from './cut'

/** The number of characters that are shown at first. */
const FOLD = 3_000

/** How many more characters one click shows. A browser can lay out this number at once. */
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
