// Says on a finding that it was accepted on this page; nothing on all others.
import type { Finding } from '../net/protocol.gen'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { StateMark } from './state-mark'

export function AcceptedBadge({ finding }: { finding: Finding }) {
  const app = useApp()
  const realm = app.model.realm
  if (realm === null || !app.accepted.has(realm, finding.id)) return null
  return (
    <span class="chip chip-done" data-testid="finding-accepted-badge">
      <StateMark state="done" />
      {viewerWords.accept.badge}
    </span>
  )
}
