// Under the choice of findings: the board as a file, and whether withdrawn ones are listed too.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { ExportLinks } from './export'

interface Props {
  realm: RealmModel
  /** How many findings were withdrawn. */
  gone: number
  /** They are listed. */
  withdrawn: boolean
  onWithdrawn: () => void
}

export function FindingsFoot({ realm, gone, withdrawn, onWithdrawn }: Props) {
  return (
    <div class="board-foot">
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
