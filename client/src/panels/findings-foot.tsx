// Below the controls: exports, and whether withdrawn findings are listed.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { ExportLinks } from './export'

interface Props {
  realm: RealmModel
  /** The number of withdrawn findings. */
  gone: number
  /** Whether they are listed. */
  withdrawn: boolean
  onWithdrawn: () => void
}

export function FindingsFoot({ realm, gone, withdrawn, onWithdrawn }: Props) {
  return (
    <div class="findings-foot">
      <ExportLinks realmId={realm.id} />
      {gone > 0 && (
        <button
          type="button"
          class="filter"
          data-testid="findings-withdrawn"
          aria-pressed={withdrawn}
          onClick={onWithdrawn}
        >
          {words.findings.withdrawn(gone)}
        </button>
      )}
    </div>
  )
}
