// The field for the problem of a process.
import { words } from '../words'

interface Props {
  value: string
  /** Whether the field was empty when the form was sent. */
  missing: boolean
  onInput: (text: string) => void
}

export function ProblemField({ value, missing, onInput }: Props) {
  return (
    <>
      <label>
        <span>{words.setup.problemLabel}</span>
        <textarea
          data-testid="problem"
          rows={4}
          value={value}
          placeholder={words.setup.problemHint}
          aria-invalid={missing}
          onInput={(e) => onInput(e.currentTarget.value)}
        />
      </label>
      {missing && (
        <p class="problem" role="alert">
          {words.setup.problemMissing}
        </p>
      )}
    </>
  )
}
