// Questions to the guide of the realm as buttons. The page then shows the chat with the answer.
import type { Agent } from '../../state/conversations'
import { words } from '../../words'
import { useApp } from '../context'

interface Props {
  guide: Agent
  questions: readonly string[]
  testid: string
  small?: boolean
}

export function AskGuide({ guide, questions, testid, small = false }: Props) {
  const app = useApp()
  return (
    <div class="next-questions" role="group" aria-label={words.conversation.first.ask(guide.name)} data-testid={testid}>
      {questions.map((question) => (
        <button
          key={question}
          type="button"
          class={small ? 'small' : undefined}
          onClick={() => app.command(`/ask ${guide.id} ${question}`)}
        >
          {question}
        </button>
      ))}
    </div>
  )
}
