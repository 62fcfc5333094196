// The line that is shown until the teams arrive. It says that they are loading or late, or why the request failed.
import { words } from '../../words'
import { useApp } from '../../panels/context'
import { useAfter } from '../../panels/use-after'
import { partyWords } from './words'

/** How long the teams may take to arrive before the line says that the server has not answered, in milliseconds. */
const LATE_MS = 10_000

export function Waiting() {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'team:list')
  const late = useAfter(LATE_MS)
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
