// The notices of a restored session: how many messages came back, and which speakers are not in the team (S2-09,
// S2-12).
import { useEffect } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { StateMark } from '../../panels/state-mark'
import { ago, words } from '../../words'
import type { ConversationProps } from '../kind'
import { missingMembers } from './state'
import { partyWords } from './words'
import { countsText } from './message-counts'

/** How long a notice without a warning is shown, in milliseconds. */
const STAYS_MS = 60_000

export function SessionNotices({ view, realm }: ConversationProps) {
  const app = useApp()
  const id = view.conversationId
  const notice = realm.sessionNotices[id]
  const missing = missingMembers(view)
  // After a reload the page lacks the session:warning event. It derives the missing members from the rows instead,
  // until the person has read the warning.
  const told = app.conversations.wasWarningRead(id, missing)
  const warning = notice?.warning
    ? notice.warning.message.replace(/^⚠️?\s*/u, '').replace(/\n\s+/g, '\n')
    : missing.length > 0 && !told
      ? partyWords.missing(missing.map((x) => x.name).join(', '))
      : ''
  const back = app.conversations.restoredCounts(id)
  const restored = back !== null
  useEffect(() => {
    if (!restored || warning !== '') return
    const timer = setTimeout(() => app.conversations.readSession(id, []), STAYS_MS)
    return () => clearTimeout(timer)
  }, [app, id, restored, warning])
  if (!restored && !warning) return null
  const by = countsText(view, back?.by ?? {})
  return (
    <div
      class={warning ? 'session-notice session-warning' : 'session-notice'}
      role="status"
      data-testid="session-notice"
    >
      <StateMark state={warning ? 'interrupted' : 'done'} />
      <div>
        {restored && (
          <p data-testid="session-restored">
            {partyWords.restored(back.messages)} {by !== '' && <span class="quiet">{by}. </span>}
            {view.createdAt && <span class="quiet">{partyWords.since(ago(view.createdAt, Date.now()))}</span>}
          </p>
        )}
        {warning && (
          <p class="session-missing" data-testid="session-warning">
            {warning}
          </p>
        )}
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={words.conversation.dismiss}
        data-testid="session-read"
        onClick={() => app.conversations.readSession(id, missing)}
      >
        ✕
      </button>
    </div>
  )
}
