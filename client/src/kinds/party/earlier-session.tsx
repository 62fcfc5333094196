// An earlier session of a team, with a button that resumes it.
import type { SessionInfo } from '../../net/protocol.gen'
import { ago, moment } from '../../words'
import { partyWords } from './words'

export function EarlierSession({
  session: s,
  busy,
  onResume,
  now,
}: {
  session: SessionInfo
  busy: boolean
  onResume: (id: string) => void
  now: number
}) {
  return (
    <li class="earlier-session">
      <span>
        <span class="conversation-name">{s.title}</span>
        <span class="quiet" title={moment(s.updatedAt ?? '')}>
          {' '}
          {ago(s.updatedAt, now)}
        </span>
        <span class="quiet found-summary">{s.summary}</span>
      </span>
      <button type="button" class="small" disabled={busy} onClick={() => onResume(s.sessionId)}>
        {partyWords.resumeThis}
      </button>
    </li>
  )
}
