// The icon of a severity, which differs in shape first and in colour second. A suspected finding has a broken ring.
import type { Finding } from '../net/protocol.gen'
import { facts, words } from '../words'

/** How much of the icon's circle is filled: info ○, low ◔, medium ◑, high ◕, critical ●. */
const FILL: Record<Finding['severity'], number> = { info: 0, low: 0.25, medium: 0.5, high: 0.75, critical: 1 }

export function SeverityMark({ severity, suspected }: { severity: Finding['severity']; suspected?: boolean }) {
  const part = FILL[severity] ?? 0
  const w = words.findings
  return (
    <svg
      class={`mark severity-${severity}${suspected ? ' mark-suspected' : ''}`}
      viewBox="0 0 16 16"
      role="img"
      aria-label={facts([w.severity[severity], suspected && w.state.suspected])}
    >
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />
      {part === 1 ? (
        <circle cx="8" cy="8" r="6" fill="currentColor" />
      ) : part > 0 ? (
        <path d={wedge(part)} fill="currentColor" />
      ) : null}
    </svg>
  )
}

function wedge(part: number): string {
  const angle = part * 2 * Math.PI
  const x = 8 + 6 * Math.sin(angle)
  const y = 8 - 6 * Math.cos(angle)
  return `M8 8V2A6 6 0 ${part > 0.5 ? 1 : 0} 1 ${x.toFixed(3)} ${y.toFixed(3)}Z`
}
