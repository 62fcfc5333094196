// The team's task: one line, and the whole task after a click.
import { useState } from 'preact/hooks'
import { Plain } from '../../panels/plain'
import { words } from '../../words'
import { partyWords } from './words'

/** The length in characters above which a task has a button that shows the whole task. */
const TASK_LINE = 40

export function Task({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  return (
    <div class="party-task" data-testid="party-task">
      <p class={whole ? 'conversation-task' : 'conversation-task one-line'}>
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
