// How many findings match, in all and by severity.
import { useMemo } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import { countStanding, countBySeverity } from '../state/findings'
import { count, words } from '../words'
import { SeverityMark } from './severity-mark'

export function FindingsSummary({ shown, total }: { shown: readonly Finding[]; total: number }) {
  const counts = useMemo(() => countBySeverity(shown), [shown])
  const fitting = useMemo(() => countStanding(shown), [shown])
  return (
    <p class="quiet findings-summary" data-testid="findings-summary">
      <span role="status">{words.findings.summary(fitting, total)}</span>
      {counts.map(([s, n]) => (
        <span key={s} class="findings-count" title={`${words.findings.severity[s]}: ${count(n)}`}>
          <SeverityMark severity={s} /> {count(n)}
        </span>
      ))}
    </p>
  )
}
