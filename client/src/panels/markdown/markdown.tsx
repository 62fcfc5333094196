// Markdown that people and models wrote, whole up to a length and then folded.
import { useState } from 'preact/hooks'
import { words } from '../../words'
import { Pieces } from './pieces'
import { breakBefore } from './read'

/** What is shown of a long text before somebody asks for more, and what one more request shows. */
export const FOLD = 20_000

const MORE = 60_000

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
