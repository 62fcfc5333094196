// That a coding agent's newest test run failed, until a later one passes.
import { testsFailed } from '../words-agents'
import { moment } from '../words-format'
import { useNow } from './use-now'

export function AgentTests({ failed }: { failed: string }) {
  return (
    <span class="agent-tests" data-testid="agent-tests" title={moment(failed)}>
      {testsFailed(failed, useNow())}
    </span>
  )
}
