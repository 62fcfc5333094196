// The questions of an agent with their options: a form, or plain text where nobody can answer here.
import { useState } from 'preact/hooks'
import type { AgentDoor } from '../net/protocol.gen'
import { answerOf, NO_ANSWER, type Answer, type Question } from '../state/questions'
import { isGuest } from '../state/select'
import { doorsWords } from '../words-doors'
import { useApp } from './context'
import { DoorQuestion } from './door-question'
import { useDoorAnswer } from './use-door-answer'

export function DoorQuestions({ door, questions }: { door: AgentDoor; questions: readonly Question[] }) {
  const app = useApp()
  const { busy, answer } = useDoorAnswer(door)
  const [given, setGiven] = useState<Readonly<Record<number, Answer>>>({})
  const open = door.choices.includes('answer') && !isGuest(app.model)
  const texts = questions.map((q, i) => answerOf(q, given[i] ?? NO_ANSWER))
  const whole = texts.every(Boolean)
  const send = (e: Event) => {
    e.preventDefault()
    if (whole && !busy) answer('answer', texts)
  }
  return (
    <form class="door-questions" data-testid="door-questions" onSubmit={send}>
      {questions.map((q, i) => (
        <DoorQuestion
          key={i}
          question={q}
          answer={given[i] ?? NO_ANSWER}
          onAnswer={open ? (a) => setGiven({ ...given, [i]: a }) : undefined}
        />
      ))}
      {open && (
        <button type="submit" class="small primary" disabled={!whole || busy} data-testid="door-answer">
          {doorsWords.send}
        </button>
      )}
    </form>
  )
}
