// The first element that the Tab key reaches: a link to the text box, past the map and the lists.
import { focusBox } from '../panels/focus-box'
import { words } from '../words'

export function SkipLink() {
  return (
    <button type="button" class="skip-link" data-testid="skip-link" onClick={focusBox}>
      {words.skipToBox}
    </button>
  )
}
