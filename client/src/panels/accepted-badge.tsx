// Says on a finding that the linked repository accepts it. On any other finding it shows nothing.
import type { Finding } from '../net/protocol.gen'
import { viewerWords } from '../words-viewer'
import { StateMark } from './state-mark'
import { useAccepted } from './use-accepted'

export function AcceptedBadge({ finding }: { finding: Finding }) {
  if (!useAccepted(finding)) return null
  return (
    <span class="chip chip-done" data-testid="finding-accepted-badge">
      <StateMark state="done" />
      {viewerWords.accept.badge}
    </span>
  )
}
