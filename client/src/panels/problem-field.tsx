// The field for the problem of a process. A review by scouts needs no problem; its text is only a title.
import { words } from '../words'

interface Props {
  value: string
  /** The default title of a review; "" for a process that needs a problem. */
  title: string
  /** Whether the field was empty when the form was sent. */
  missing: boolean
  onInput: (text: string) => void
}

export function ProblemField({ value, title, missing, onInput }: Props) {
  return (
    <>
      <label>
        <span>{title ? words.setup.titleLabel : words.setup.problemLabel}</span>
        <textarea
          data-testid="problem"
          rows={title ? 1 : 4}
          value={value}
          placeholder={title || words.setup.problemHint}
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
