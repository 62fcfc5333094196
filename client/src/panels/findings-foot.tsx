// The links that export the findings, and buttons that show or hide the suspected and the withdrawn findings.
import type { FindingsFilter } from '../state/findings'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { ExportLinks } from './export'

interface Props {
  realm: RealmModel
  /** Whether the findings in each of these states are listed. */
  listed: Record<'suspected' | 'withdrawn', boolean>
  /** The number of findings in each of these states. */
  counts: Record<'suspected' | 'withdrawn', number>
  set: (over: Partial<FindingsFilter>) => void
}

export function FindingsFoot({ realm, listed, counts, set }: Props) {
  const states = ['suspected', 'withdrawn'] as const
  return (
    <div class="findings-foot">
      <ExportLinks realmId={realm.id} />
      {states.map(
        (state) =>
          counts[state] > 0 && (
            <button
              key={state}
              type="button"
              class="filter"
              data-testid={`findings-${state}`}
              aria-pressed={listed[state]}
              onClick={() => set({ [state]: !listed[state] })}
            >
              {words.findings[state](counts[state])}
            </button>
          ),
      )}
    </div>
  )
}
