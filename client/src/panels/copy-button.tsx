// A button that copies a text and shows the result for a moment.
import { useState } from 'preact/hooks'
import { words } from '../words'
import { copyText } from './copy'

export function CopyButton({
  text,
  label,
  testid,
  primary = false,
}: {
  text: () => string
  label: string
  testid?: string
  primary?: boolean
}) {
  const [done, setDone] = useState<boolean | null>(null)
  const copy = () => {
    void copyText(text()).then((ok) => {
      setDone(ok)
      setTimeout(() => setDone(null), ok ? 2_000 : 8_000)
    })
  }
  return (
    <>
      <button type="button" class={primary ? 'primary' : 'small ghost'} data-testid={testid} onClick={copy}>
        {done === true ? words.transcript.copied : label}
      </button>
      {done === false && <span role="alert">{words.transcript.notCopied}</span>}
    </>
  )
}
