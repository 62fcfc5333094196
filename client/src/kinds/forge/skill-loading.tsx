// The line that is shown until the files of a skill arrive. It says that they are loading or late, or why the request
// failed.
import type { Pending } from '../../net/outbox'
import { useApp } from '../../panels/context'
import { useAfter } from '../../panels/use-after'
import { words } from '../../words'
import { forgeWords } from './words'

/** How long the files may take to arrive before the line says that the server has not answered, in milliseconds. */
const LATE_MS = 10_000

export function SkillLoading({ ask }: { ask: Pending | undefined }) {
  const live = useApp().live.value
  const late = useAfter(LATE_MS)
  const w = forgeWords
  const failed = ask?.status === 'refused'
  const waits = !live ? words.conversation.waiting : late ? w.late : w.fetching
  return (
    <p
      class="quiet"
      role="status"
      data-testid="skill-loading"
      data-state={failed ? 'failed' : late ? 'late' : 'loading'}
    >
      {failed ? `${w.fetchFailed} ${ask.error?.message ?? ''}` : waits}
    </p>
  )
}
