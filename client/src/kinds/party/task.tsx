// What the team works on: one line, and the rest of it on request.
import { useState } from 'preact/hooks'
import { Plain } from '../../panels/plain'
import { words } from '../../words'
import { partyWords } from './words'

/** A longer task is shown by its first line until somebody asks for more, in characters. */
const TASK_LINE = 40

export function Task({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  return (
    <div class="party-task" data-testid="party-task">
      <p class={whole ? 'talk-task' : 'talk-task one-line'}>
        <strong>{partyWords.task}:</strong> <Plain text={text} />
      </p>
      {text.length > TASK_LINE && (
        <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}
