// Buttons that show or hide the suspected and the withdrawn findings.
import type { FindingsFilter } from '../state/findings'
import { words } from '../words'

interface Props {
  /** Whether the findings in each of these states are listed. */
  listed: Record<'suspected' | 'withdrawn', boolean>
  /** The number of findings in each of these states. */
  counts: Record<'suspected' | 'withdrawn', number>
  /** The id of the first finding in this state that the list shows once it shows the state; '' for none. */
  first: (state: 'suspected' | 'withdrawn') => string
  set: (over: Partial<FindingsFilter>) => void
}

export function FindingsStates({ listed, counts, first, set }: Props) {
  const states = ['suspected', 'withdrawn'] as const
  return (
    <>
      {states.map(
        (state) =>
          counts[state] > 0 && (
            <button
              key={state}
              type="button"
              class="filter"
              data-testid={`findings-${state}`}
              aria-pressed={listed[state]}
              onClick={() => set({ [state]: !listed[state], lead: listed[state] ? '' : first(state) })}
            >
              {words.findings[state](counts[state])}
            </button>
          ),
      )}
    </>
  )
}
