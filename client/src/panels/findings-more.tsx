// The button under the findings that lists more of them.
import { ROWS_STEP } from '../state/findings'
import { words } from '../words'

/** rest: the number of findings that are not listed yet. */
export function FindingsMore({ rest, onMore }: { rest: number; onMore: () => void }) {
  return (
    <button type="button" class="findings-more" data-testid="findings-more" onClick={onMore}>
      {words.findings.more(Math.min(rest, ROWS_STEP), rest)}
    </button>
  )
}
