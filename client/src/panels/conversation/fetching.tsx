// The loading state of a transcript. It always ends: with the rows, with an error, or with a notice that the server has
// not answered (S0-19).
import { useEffect, useRef } from 'preact/hooks'
import type { Pending } from '../../net/outbox'
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { deadLinkWords, sentence } from '../../words-dead-links'
import { PAGE } from '../../conversations'
import { useApp } from '../context'
import { useAfter } from '../use-after'

/** The time in milliseconds after which the notice says that the server has not answered. */
const LATE_MS = 10_000

/**
 * The pending conversation.open that requests rows of the conversation. newest: find only requests for the newest rows.
 */
export function pendingOpen(pending: readonly Pending[], id: string, newest: boolean): Pending | undefined {
  return pending.find(
    (p) =>
      p.frame.type === 'conversation.open' &&
      p.frame.conversationId === id &&
      (p.frame.limit ?? PAGE) > 1 &&
      (!newest || (p.frame.before === undefined && !p.frame.stageId)),
  )
}

/** Whether the server says that there is no such conversation. */
function isMissing(ask: Pending | undefined): boolean {
  return ask?.status === 'refused' && ask.error?.code === 'not_found'
}

type State = 'failed' | 'waiting' | 'late' | 'loading'

function textOf(state: State, ask: Pending | undefined): string {
  const w = words.conversation
  const message = sentence(ask?.error?.message ?? '')
  if (isMissing(ask)) return deadLinkWords.talk(message)
  if (state === 'failed') return `${w.failed} ${message}`
  return { waiting: w.waiting, late: w.silent, loading: w.loading }[state]
}

export function Fetching({ realm, id, onBack }: { realm: RealmModel; id: string; onBack: (() => void) | null }) {
  const app = useApp()
  const live = app.live.value
  const ask = pendingOpen(app.pending.value, id, true)
  const known = useRef(false)
  const asked = ask !== undefined
  useEffect(() => {
    if (live && !asked && !known.current) app.conversations.open(id)
    known.current = asked
  }, [app, live, asked, id])
  const late = useAfter(LATE_MS, ask?.requestId)
  const again = () => {
    if (ask) app.discard(ask.requestId)
    known.current = false
    app.conversations.open(id)
  }
  const failed = ask?.status === 'refused'
  const state: State = failed ? 'failed' : !live ? 'waiting' : late ? 'late' : 'loading'
  const missing = isMissing(ask)
  useEffect(() => {
    if (missing) app.conversations.missing(id)
  }, [app, missing, id])
  const now = realm.world.processState.conversationId
  return (
    <div class="conversation-body">
      {onBack && (
        <header class="conversation-head">
          <button type="button" class="small ghost" data-testid="talk-back" onClick={onBack}>
            ‹ {words.conversation.back}
          </button>
        </header>
      )}
      <div class="empty" data-testid="talk-loading" data-state={state} role="status" aria-busy={!failed && live}>
        <p>{textOf(state, ask)}</p>
        {(failed || late) && (
          <div class="buttons">
            <button type="button" data-testid="talk-again" onClick={again}>
              {words.conversation.again}
            </button>
            {missing && (
              <button type="button" data-testid="talk-leave" onClick={() => app.conversations.leaveMissing()}>
                {words.erasure.toOthers}
              </button>
            )}
            {!missing && now !== '' && now !== id && (
              <button type="button" onClick={() => app.conversations.choose(now)}>
                {words.conversation.gone}
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
