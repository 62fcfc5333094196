// A mark over the map: a banner or a flag by the worst severity, smoke over files that are not committed, moss on
// what is old. Its meaning is shown on hover and on focus.
import { SeverityMark } from '../../panels/severity-mark'
import { count } from '../../words-format'
import { directorWords as w } from '../../words-director'
import type { MapMark } from './map-marks'

interface Props {
  mark: MapMark
  name: string
  now: number
  /** Whether the Tab key focuses this mark. */
  stop: boolean
  onPick: (mark: MapMark) => void
}

export function Mark({ mark: m, name, now, stop, onPick }: Props) {
  const worst = m.severities[0]?.[0]
  const facts = [
    ...(m.total > 0 ? [w.findings(m.severities)] : []),
    ...(m.uncommitted > 0 ? [w.uncommitted(m.uncommitted)] : []),
    ...(m.old ? [w.old(m.old, now)] : []),
  ]
  const label = w.mark(name, facts)
  return (
    <button
      type="button"
      tabIndex={stop ? 0 : -1}
      class={`map-mark map-mark-${m.kind}${worst ? ` mark-${worst}` : ''}`}
      aria-label={label}
      data-testid={`mark-${m.path}`}
      data-total={m.total}
      data-severity={worst}
      onClick={() => onPick(m)}
    >
      {worst && (
        <span class="mark-banner">
          <SeverityMark severity={worst} />
          {m.total > 1 && <span>{count(m.total)}</span>}
        </span>
      )}
      {m.uncommitted > 0 && (
        <span class="mark-smoke">
          <i />
          <i />
          <i />
        </span>
      )}
      {m.old && (
        <svg class="mark-moss" viewBox="0 0 12 8" shape-rendering="crispEdges">
          <path fill="currentColor" d="M1 4h2V2h3v1h2V1h2v3h1v3H1zM3 7h1v1H3zm5 0h1v1H8z" />
        </svg>
      )}
      <span class="mark-tip">
        {label}
        <span class="quiet">{m.kind === 'door' || m.total === 0 ? w.toRoom : w.toFindings}</span>
      </span>
    </button>
  )
}
