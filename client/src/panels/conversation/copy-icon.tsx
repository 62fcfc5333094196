// An icon button that copies a text and shows the result for a moment.
import { words } from '../../words'
import { useCopy } from '../copy'
import { Icon } from '../icon'

interface Props {
  text: () => string
  label: string
  testid: string
  /** The icon: two sheets for the copy of a text, a chain for the copy of an address. */
  mark?: 'sheets' | 'chain'
  /** Whether the label is shown beside the icon, as in a menu. */
  wide?: boolean
}

export function CopyIcon({ text, label, testid, mark = 'sheets', wide = false }: Props) {
  const { done, copy } = useCopy(text)
  const told = done === null ? '' : done ? words.transcript.copied : words.transcript.notCopied
  return (
    <span class="copy-icon">
      <button
        type="button"
        class={wide ? 'head-item' : 'icon-button'}
        aria-label={label}
        title={told || label}
        data-testid={testid}
        onClick={copy}
      >
        <Icon name={done === null ? mark : done ? 'tick' : 'failed'} />
        {wide && (done ? told : label)}
      </button>
      <span class={done === false ? 'copy-told' : 'visually-hidden'} role="status">
        {told}
      </span>
    </span>
  )
}
