// The line that is shown while the smith works, with a stop button and, if the work takes long, a notice.
import { useAfter } from '../../panels/use-after'
import { StateMark } from '../../panels/state-mark'
import { StopRun } from '../../panels/conversation/stop-run'
import type { ConversationProps } from '../kind'
import { forgeWords } from './words'

/** How long the smith works before the line says that it takes long, in milliseconds. */
const SLOW_MS = 60_000

export function ForgeWorking({ view }: ConversationProps) {
  const f = view.plan.forge
  const working = f?.working ?? ''
  const run = view.activeRuns[0]
  const slow = useAfter(SLOW_MS, `${working} ${f?.state} ${run?.requestId}`)
  if (working === '') return null
  return (
    <p class="thinking" role="status" data-testid="forge-working" data-working={working}>
      <StateMark state="running" />
      <span>
        {forgeWords.working[working] ?? forgeWords.working['model']}
        {slow && <span class="quiet"> {forgeWords.slow}</span>}
      </span>
      {run && <StopRun view={view} requestId={run.requestId} />}
    </p>
  )
}
