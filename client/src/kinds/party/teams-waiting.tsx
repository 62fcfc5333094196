// The line that is shown while the teams have not arrived: loading, late, or why it failed.
import { useEffect, useState } from 'preact/hooks'
import { words } from '../../words'
import { useApp } from '../../panels/context'
import { partyWords } from './words'

/** After this time the line says that the server has not answered, in milliseconds. */
const PATIENCE_MS = 10_000

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
          ? words.conversation.waiting
          : late
            ? partyWords.late
            : partyWords.loading}{' '}
      {failed && (
        <button
          type="button"
          class="link"
          onClick={() => {
            if (ask) app.discard(ask.requestId)
            app.conversations.teams()
          }}
        >
          {words.conversation.again}
        </button>
      )}
    </p>
  )
}
