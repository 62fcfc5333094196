// The notice that no finding matches the filter.
import { words } from '../words'

export function FindingsNone({ onAll }: { onAll: () => void }) {
  return (
    <div class="empty">
      <p class="quiet">{words.findings.none}</p>
      <div class="buttons">
        <button type="button" class="small" data-testid="findings-all" onClick={onAll}>
          {words.findings.showAll}
        </button>
      </div>
    </div>
  )
}
