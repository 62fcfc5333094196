// A button that copies a text and says whether that worked.
import { useState } from 'preact/hooks'
import { words } from '../words'
import { copyText } from './copy'

/** Says for a moment whether the text is in the clipboard. */
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
        {done === true ? words.talk.copied : label}
      </button>
      {done === false && <span role="alert">{words.talk.notCopied}</span>}
    </>
  )
}
