// A text of which one line is shown, with a button for the rest.
import { useRef, useState } from 'preact/hooks'
import { words } from '../words'
import { useCut } from './use-cut'

interface Props {
  text: string
  class: string
  testid: string
}

export function OneLine({ text, class: look, testid }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(false)
  const cut = useCut(box, whole)
  return (
    <div class={`fold-line ${look}`} ref={box} data-testid={testid}>
      <p class={whole ? undefined : 'clamp'}>{text}</p>
      {(cut || whole) && (
        <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}
