// After a restore: what came back, and who of the speakers is not in the team (S2-09, S2-12).
import { useEffect } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { StateMark } from '../../panels/state-mark'
import { ago, words } from '../../words'
import type { InView } from '../kind'
import { missingIn } from './state'
import { partyWords } from './words'
import { byWhom } from './by-whom'

/** How long a notice without a warning stays when nobody puts it away, in milliseconds. */
const STAYS_MS = 60_000

export function SessionNotices({ view, realm }: InView) {
  const app = useApp()
  const id = view.conversationId
  const notice = realm.sessions[id]
  const missing = missingIn(view)
  // After a reload the event is not here any more; the rows still say it, until it has been read.
  const told = app.talks.wasRead(id, missing)
  const warning = notice?.warning
    ? notice.warning.message.replace(/^⚠️?\s*/u, '').replace(/\n\s+/g, '\n')
    : missing.length > 0 && !told
      ? partyWords.missing(missing.map((x) => x.name).join(', '))
      : ''
  const back = app.talks.cameBack(id)
  const restored = back !== null
  useEffect(() => {
    if (!restored || warning !== '') return
    const timer = setTimeout(() => app.talks.readSession(id, []), STAYS_MS)
    return () => clearTimeout(timer)
  }, [app, id, restored, warning])
  if (!restored && !warning) return null
  const by = byWhom(view, back?.by ?? {})
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
        aria-label={words.chats.dismiss}
        data-testid="session-read"
        onClick={() => app.talks.readSession(id, missing)}
      >
        ✕
      </button>
    </div>
  )
}
