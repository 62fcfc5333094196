// Markdown that a person or a model has written. A text longer than limit is folded.
import { useState } from 'preact/hooks'
import { FoldButtons } from '../fold-buttons'
import { Pieces } from './pieces'
import { breakBefore } from './read'

/** The number of characters that are shown at first. */
export const FOLD = 20_000

/** How many more characters one click shows. */
const MORE = 60_000

export function Markdown({ text, limit = FOLD }: { text: string; limit?: number }) {
  const [shown, setShown] = useState(limit)
  if (text.length <= limit * 1.2) return <Pieces text={text} />
  return (
    <>
      <Pieces text={shown < text.length ? text.slice(0, breakBefore(text, shown, Math.floor(shown / 2))) : text} />
      <p class="fold">
        <FoldButtons length={text.length} shown={shown} limit={limit} more={MORE} show={setShown} />
      </p>
    </>
  )
}
