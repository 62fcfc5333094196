// An icon button that copies a text and shows the result for a moment.
import { words } from '../../words'
import { useCopy } from '../copy'
import { CopyMark, type CopyWhat } from '../copy-mark'

interface Props {
  text: () => string
  label: string
  testid: string
  mark?: CopyWhat
}

export function CopyIcon({ text, label, testid, mark = 'text' }: Props) {
  const { done, copy } = useCopy(text)
  const told = done === null ? '' : done ? words.transcript.copied : words.transcript.notCopied
  return (
    <span class="copy-icon">
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={told || label}
        data-testid={testid}
        onClick={copy}
      >
        <CopyMark done={done} what={mark} />
      </button>
      <span class={done === false ? 'copy-told' : 'visually-hidden'} role="status">
        {told}
      </span>
    </span>
  )
}
