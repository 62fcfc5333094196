// How many findings match the filter, in all and by severity. If all findings are suspected or withdrawn, it shows
// how many are suspected.
import { useMemo } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import { countIn, countStanding, countBySeverity } from '../state/findings'
import { count, words } from '../words'
import { SeverityMark } from './severity-mark'

interface Props {
  shown: readonly Finding[]
  /** The number of all findings that are neither suspected nor withdrawn, and of all suspected findings. */
  total: number
  suspected: number
}

export function FindingsSummary({ shown, total, suspected }: Props) {
  const counts = useMemo(() => countBySeverity(shown), [shown])
  const [fitting, doubted] = useMemo(() => [countStanding(shown), countIn(shown, 'suspected')], [shown])
  const w = words.findings
  const text = total === 0 && suspected > 0 ? w.onlySuspected(doubted, suspected) : w.summary(fitting, total)
  return (
    <p class="quiet findings-summary" data-testid="findings-summary">
      <span role="status">{text}</span>
      {counts.map(([s, n]) => (
        <span key={s} class="findings-count" title={`${w.severity[s]}: ${count(n)}`}>
          <SeverityMark severity={s} /> {count(n)}
        </span>
      ))}
    </p>
  )
}
