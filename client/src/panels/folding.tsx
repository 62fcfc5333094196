// A text that may be huge: its beginning, and the rest on request.
import { useState } from 'preact/hooks'
import { words } from '../words'
import { Plain } from './plain'
import { cut } from './cut'

/** What is shown of a long text before somebody asks for more, in characters. */
const FOLD = 3_000

/** What one more request shows: a browser lays out no more than this at once. */
const MORE = 200_000

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
