// The links that export the findings, and a button that shows or hides the withdrawn findings.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { ExportLinks } from './export'

interface Props {
  realm: RealmModel
  /** The number of withdrawn findings. */
  gone: number
  /** Whether the withdrawn findings are shown. */
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
