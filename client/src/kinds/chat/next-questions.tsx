// The questions that the last answer of a chat offers, as buttons. A click asks one.
import { useApp } from '../../panels/context'
import { StartReview } from '../../panels/start-review'
import { splitAnswer } from '../../state/next-questions'
import type { ConversationProps } from '../kind'
import { chatWords } from './words'

export function NextQuestions({ view }: ConversationProps) {
  const app = useApp()
  const last = view.messages.at(-1)
  const id = view.conversationId
  const waits = view.activeRuns.length > 0 || app.conversations.isSending(id)
  if (!app.host.value || waits || last?.role !== 'assistant' || last.status !== 'done') return null
  const { questions } = splitAnswer(last.content)
  if (questions.length === 0) return null
  return (
    <div class="next-questions" role="group" aria-label={chatWords.next} data-testid="next-questions">
      {questions.map((question) => (
        <button
          key={question}
          type="button"
          class="small"
          onClick={() => {
            app.conversations.say(id, question)
            app.conversations.focusComposer.value = true
          }}
        >
          {question}
        </button>
      ))}
      <StartReview />
    </div>
  )
}
