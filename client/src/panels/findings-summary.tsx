// How many findings fit, and of each severity.
import { useMemo } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import { holding, tally } from '../state/board'
import { count, words } from '../words'
import { SeverityMark } from './severity-mark'

/** How many fit, and of each severity. */
export function FindingsSummary({ shown, total }: { shown: readonly Finding[]; total: number }) {
  const counts = useMemo(() => tally(shown), [shown])
  const fitting = useMemo(() => holding(shown), [shown])
  return (
    <p class="quiet board-summary" data-testid="findings-summary">
      <span role="status">{words.findings.summary(fitting, total)}</span>
      {counts.map(([s, n]) => (
        <span key={s} class="board-count" title={`${words.findings.severity[s]}: ${count(n)}`}>
          <SeverityMark severity={s} /> {count(n)}
        </span>
      ))}
    </p>
  )
}
