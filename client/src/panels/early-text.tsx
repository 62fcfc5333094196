// Says that a text that was begun before the person's turn goes to everybody, and offers to make it the answer.
import { words } from '../words'
import { focusBox } from './focus-box'

export function EarlyText({ onAnswer }: { onAnswer: () => void }) {
  const press = () => {
    onAnswer()
    focusBox() // this line goes away, and the person goes on with the text
  }
  return (
    <p class="early-text quiet" role="status" data-testid="early-text">
      {words.prompt.early}{' '}
      <button type="button" class="small" data-testid="answer-with-it" onClick={press}>
        {words.prompt.answerWithIt}
      </button>
    </p>
  )
}
