// Says that a text that was begun before the person's turn goes to everybody, and offers to make it the answer.
import { words } from '../words'

export function EarlyText({ onAnswer }: { onAnswer: () => void }) {
  return (
    <p class="early-text quiet" role="status" data-testid="early-text">
      {words.prompt.early}{' '}
      <button type="button" class="small" data-testid="answer-with-it" onClick={onAnswer}>
        {words.prompt.answerWithIt}
      </button>
    </p>
  )
}
