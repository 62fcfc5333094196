// The first element that the Tab key reaches: a link to the text box, past the map and the lists.
import { words } from '../words'

/** The selectors of the text boxes. The composer of the open conversation comes before the page's text box. */
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
