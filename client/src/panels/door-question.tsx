// One question of an agent: its options as buttons, and a field for another answer.
import { NO_ANSWER, type Answer, type Question } from '../state/questions'
import { doorsWords } from '../words-doors'

interface Props {
  question: Question
  answer?: Answer
  /** If it is missing, the person cannot answer here, and the options are plain text. */
  onAnswer?: ((answer: Answer) => void) | undefined
}

export function DoorQuestion({ question: q, answer: { chosen, typed } = NO_ANSWER, onAnswer }: Props) {
  const pick = (label: string) => {
    const rest = chosen.filter((c) => c !== label)
    const next = rest.length < chosen.length ? rest : q.many ? [...chosen, label] : [label]
    // The labels keep the order of the options. One of several options takes the place of a typed answer.
    onAnswer?.({ chosen: q.options.map((o) => o.label).filter((l) => next.includes(l)), typed: q.many ? typed : '' })
  }
  return (
    <fieldset class="door-question" data-testid="door-question">
      <legend>
        {q.text} {q.many && <span class="quiet meta">{doorsWords.many}</span>}
      </legend>
      <ul class="door-options">
        {q.options.map((o) => (
          <li key={o.label}>
            {onAnswer ? (
              <button type="button" class="small" aria-pressed={chosen.includes(o.label)} onClick={() => pick(o.label)}>
                {o.label}
              </button>
            ) : (
              <strong>{o.label}</strong>
            )}
            <span class="quiet meta">{o.description}</span>
          </li>
        ))}
      </ul>
      {onAnswer && (
        <input
          type="text"
          value={typed}
          maxLength={4000}
          placeholder={doorsWords.otherHint}
          aria-label={doorsWords.other(q.text)}
          onInput={(e) => onAnswer({ chosen: q.many ? chosen : [], typed: e.currentTarget.value })}
        />
      )}
    </fieldset>
  )
}
