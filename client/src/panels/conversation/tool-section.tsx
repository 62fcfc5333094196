// The input or the output of a tool.
import { useState } from 'preact/hooks'
import { words } from '../../words'
import { cut } from '../cut'

/** The number of characters of an input or output that are shown until the person asks for more. */
const MAX = 100_000

export function ToolSection({ label, text, none }: { label: string; text: string; none: string }) {
  const [shown, setShown] = useState(MAX)
  return (
    <section>
      <h5>{label}</h5>
      {text === '' ? (
        <p class="quiet">{none}</p>
      ) : (
        <pre class="code" tabIndex={0}>
          {cut(text, shown)}
        </pre>
      )}
      {text.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + MAX)}>
          {words.transcript.part}
        </button>
      )}
    </section>
  )
}
