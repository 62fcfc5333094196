// The line about a text that the person typed and did not send before its turn went away or its conversation ended.
import { words } from '../words'
import { CopyButton } from './copy-button'

interface Props {
  testid: string
  note: string
  text: () => string
  onDiscard: () => void
}

export function KeptText({ testid, note, text, onDiscard }: Props) {
  return (
    <div class="prompt-reply kept-text" role="status" data-testid={testid}>
      <p class="note">{note}</p>
      <blockquote class="scroll" tabIndex={0}>
        {text()}
      </blockquote>
      <div class="buttons">
        <CopyButton text={text} label={words.prompt.copyKept} testid={`copy-${testid}`} />
        <button type="button" class="small ghost" data-testid={`discard-${testid}`} onClick={onDiscard}>
          {words.prompt.discard}
        </button>
      </div>
    </div>
  )
}
