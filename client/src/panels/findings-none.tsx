// The notice in the list of findings that no finding is listed.
import { words } from '../words'

/** narrow: whether a filter is set. */
export function FindingsNone({ narrow, onAll }: { narrow: boolean; onAll: () => void }) {
  return (
    <div class="empty">
      <p class="quiet">{narrow ? words.findings.none : words.findings.noneStands}</p>
      <div class="buttons">
        <button type="button" class="small" data-testid="findings-all" onClick={onAll}>
          {words.findings.showAll}
        </button>
      </div>
    </div>
  )
}
