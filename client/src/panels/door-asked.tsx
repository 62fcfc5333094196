// What an agent asks for, and what for, if it says that; or the questions that it asks.
import type { AgentDoor } from '../net/protocol.gen'
import { questionsIn } from '../state/questions'
import { doorsWords } from '../words-doors'
import { DoorQuestions } from './door-questions'

interface Props {
  door: AgentDoor
  /** What it asks for as one text. */
  asked: string
  /** What the agent says about the command; "" for nothing. */
  why: string
}

export function DoorAsked({ door, asked, why }: Props) {
  const questions = questionsIn(door.detail)
  if (questions.length > 0) return <DoorQuestions key={door.doorId} door={door} questions={questions} />
  return (
    <div class="agent-door-asked">
      <code class="agent-door-summary">{asked}</code>
      {why && (
        <p class="quiet meta agent-door-why" data-testid="door-why">
          {doorsWords.why(why)}
        </p>
      )}
    </div>
  )
}
