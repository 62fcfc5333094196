// A button that copies a text and shows the result for a moment.
import { words } from '../words'
import { useCopy } from './copy'

export function CopyButton({
  text,
  label,
  testid,
  look = 'small ghost',
}: {
  text: () => string
  label: string
  testid?: string
  /** The CSS classes of the button. */
  look?: string
}) {
  const { done, copy } = useCopy(text)
  return (
    <>
      <button type="button" class={look} data-testid={testid} onClick={copy}>
        {done === true ? words.transcript.copied : label}
      </button>
      {done === false && <span role="alert">{words.transcript.notCopied}</span>}
    </>
  )
}
