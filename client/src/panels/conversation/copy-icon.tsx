// An icon button that copies a text and shows the result for a moment.
import { useState } from 'preact/hooks'
import { words } from '../../words'
import { copyText } from '../copy'
import { CopyMark } from '../copy-mark'

/** How long the result is shown, in milliseconds: longer if the reader has to copy by hand. */
const DONE_MS = 2_000
const FAILED_MS = 8_000

export function CopyIcon({ text, label, testid }: { text: () => string; label: string; testid: string }) {
  const [done, setDone] = useState<boolean | null>(null)
  const copy = () => {
    void copyText(text()).then((ok) => {
      setDone(ok)
      setTimeout(() => setDone(null), ok ? DONE_MS : FAILED_MS)
    })
  }
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
        <CopyMark done={done} />
      </button>
      <span class={done === false ? 'copy-told' : 'visually-hidden'} role="status">
        {told}
      </span>
    </span>
  )
}
