// The teams have been asked for and are not here.
import { useEffect, useState } from 'preact/hooks'
import { words } from '../../words'
import { useApp } from '../../panels/context'
import { partyWords } from './words'

/** How long the list of teams is waited for before the page says so, in milliseconds. */
const PATIENCE_MS = 10_000

/** A loading state that ends: with the teams, with an error, or by saying that nobody answers. */
export function Waiting() {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'team:list')
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const failed = ask?.status === 'refused'
  return (
    <p
      class="quiet"
      role="status"
      data-testid="teams-loading"
      data-state={failed ? 'failed' : late ? 'late' : 'loading'}
    >
      {failed
        ? `${partyWords.failed} ${ask?.error?.message ?? ''}`
        : !app.live.value
          ? words.chats.waiting
          : late
            ? partyWords.late
            : partyWords.loading}{' '}
      {failed && (
        <button
          type="button"
          class="link"
          onClick={() => {
            if (ask) app.discard(ask.requestId)
            app.talks.teams()
          }}
        >
          {words.chats.again}
        </button>
      )}
    </p>
  )
}
