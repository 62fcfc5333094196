// Markdown that people and models wrote, whole up to a length and then folded.
import { useState } from 'preact/hooks'
import { FoldButtons } from '../fold-buttons'
import { Pieces } from './pieces'
import { breakBefore } from './read'

/** What is shown of a long text before somebody asks for more, and what one more request shows. */
export const FOLD = 20_000

const MORE = 60_000

/** A text, whole up to a length and then folded. */
export function Markdown({ text, limit = FOLD }: { text: string; limit?: number }) {
  const [shown, setShown] = useState(limit)
  if (text.length <= limit * 1.2) return <Pieces text={text} />
  return (
    <>
      <Pieces text={shown < text.length ? text.slice(0, breakBefore(text, shown)) : text} />
      <p class="fold">
        <FoldButtons length={text.length} shown={shown} limit={limit} more={MORE} show={setShown} />
      </p>
    </>
  )
}
