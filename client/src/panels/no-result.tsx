// What stands in the place of the result of a process that ended before it made one: the way to what was said.
import { words } from '../words'
import { useApp } from './context'

export function NoResult({ processId }: { processId: string }) {
  const app = useApp()
  return (
    <p>
      {words.completion.nothing}{' '}
      <button
        type="button"
        class="link"
        data-testid="completion-talk"
        onClick={() => app.conversations.choose(processId)}
      >
        {words.artifacts.toTalk}
      </button>
    </p>
  )
}
