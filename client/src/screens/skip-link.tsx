// The first stop of the Tab key: it leads to the box in which a person writes, past the map and the lists.
import { words } from '../words'

/** The box of the open conversation comes before that of the page. */
const BOXES = ['[data-testid="talk-prompt"]', '[data-testid="prompt"]']

export function SkipLink() {
  const go = () => {
    const boxes = BOXES.map((b) => document.querySelector<HTMLElement>(b))
    boxes.find((b) => b?.checkVisibility())?.focus()
  }
  return (
    <button type="button" class="skip-link" data-testid="skip-link" onClick={go}>
      {words.skipToBox}
    </button>
  )
}
