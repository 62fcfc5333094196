// Buttons that show or hide the suspected and the withdrawn findings.
import type { FindingsFilter } from '../state/findings'
import { words } from '../words'

interface Props {
  /** Whether the findings in each of these states are listed. */
  listed: Record<'suspected' | 'withdrawn', boolean>
  /** The number of findings in each of these states. */
  counts: Record<'suspected' | 'accepted' | 'withdrawn', number>
  /** The id of the first finding in this state that the list shows once it shows the state; '' for none. */
  first: (state: 'suspected' | 'withdrawn') => string
  set: (over: Partial<FindingsFilter>) => void
}

export function FindingsStates({ listed, counts, first, set }: Props) {
  const states = ['suspected', 'withdrawn'] as const
  const w = words.findings
  const named = {
    suspected: counts.suspected > 0 && w.suspected(counts.suspected),
    withdrawn: [
      counts.accepted > 0 && w.acceptedCount(counts.accepted),
      counts.withdrawn > 0 && w.withdrawn(counts.withdrawn),
    ]
      .filter(Boolean)
      .join(', '),
  }
  return (
    <>
      {states.map(
        (state) =>
          named[state] && (
            <button
              key={state}
              type="button"
              class="filter"
              data-testid={`findings-${state}`}
              aria-pressed={listed[state]}
              onClick={() => set({ [state]: !listed[state], lead: listed[state] ? '' : first(state) })}
            >
              {named[state]}
            </button>
          ),
      )}
    </>
  )
}
