// The buttons that answer an agent's question, or the reason why it cannot be answered here.
import type { AgentDoor } from '../net/protocol.gen'
import { isGuest } from '../state/select'
import { doorsWords } from '../words-doors'
import { AnswerElsewhere } from './answer-elsewhere'
import { useApp } from './context'
import { DoorUntil } from './door-until'
import { useDoorAnswer } from './use-door-answer'

/**
 * The maximum length in characters of the question in a button's accessible name. The whole question is shown
 * beside the button.
 */
const NAMED = 80

/** A question that can be answered here for at most this many seconds says so. */
const SHORT = 60

/** For how many seconds the question can be answered here, from its beginning. */
function hold(door: AgentDoor): number {
  return door.until ? Math.round((Date.parse(door.until) - Date.parse(door.since ?? door.until)) / 1000) : Infinity
}

/** asked: the question as one text. The choice "answer" has no button here: DoorQuestions is its form. */
export function DoorButtons({ door, name, asked }: { door: AgentDoor; name: string; asked: string }) {
  const app = useApp()
  const { busy, refused, answer } = useDoorAnswer(door)
  if (door.choices.length === 0) return <AnswerElsewhere id={door.agentId} />
  if (isGuest(app.model)) return <p class="quiet meta">{doorsWords.guest}</p>
  const what = asked.length > NAMED ? `${asked.slice(0, NAMED)}…` : asked
  const questions = door.choices.includes('answer')
  const labels: Readonly<Record<string, string>> = {
    ...doorsWords.choices,
    ...(questions && { deny: doorsWords.noAnswer }),
  }
  const hints: Readonly<Record<string, string | undefined>> = {
    ...doorsWords.hints,
    ...(questions && { deny: doorsWords.noAnswerHint }),
    ...(door.always && { always: doorsWords.always(door.always) }),
  }
  return (
    <>
      <div class="buttons agent-door-choices">
        {door.choices
          .filter((choice) => choice !== 'answer')
          .map((choice) => (
            <button
              key={choice}
              type="button"
              class={choice === 'allow' ? 'small primary' : 'small'}
              disabled={busy}
              title={hints[choice]}
              aria-label={doorsWords.answer(labels[choice] ?? choice, name, door.tool, what)}
              data-testid={`door-${choice}`}
              onClick={() => answer(choice)}
            >
              {labels[choice] ?? choice}
            </button>
          ))}
      </div>
      {door.always && door.choices.includes('always') && (
        <p class="quiet meta agent-door-note" data-testid="door-always-what">
          {doorsWords.always(door.always)}
        </p>
      )}
      {hold(door) <= SHORT && <DoorUntil hold={hold(door)} />}
      {refused !== null && (
        <p class="problem" role="alert">
          {doorsWords.refused(refused)}
        </p>
      )}
    </>
  )
}
