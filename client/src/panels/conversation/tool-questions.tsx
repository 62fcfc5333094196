// The questions of a tool call below its row: with their options while they are open, then with their answers.
import type { Message } from '../../net/protocol.gen'
import { answersIn, questionsIn } from '../../state/questions'
import { DoorQuestion } from '../door-question'

export function ToolQuestions({ message: m }: { message: Message }) {
  const questions = questionsIn(m.tool?.input)
  if (questions.length === 0) return null
  if (m.status !== 'open')
    return (
      <>
        {answersIn(m.content).map((text, i) => (
          <p key={i} class="tool-answer" data-testid="tool-answer">
            {text}
          </p>
        ))}
      </>
    )
  return (
    <div class="door-questions tool-questions" data-testid="tool-questions">
      {questions.map((q, i) => (
        <DoorQuestion key={i} question={q} />
      ))}
    </div>
  )
}
