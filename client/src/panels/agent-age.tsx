// How long a coding agent has been in its state.
import { agentAge } from '../words-agents'
import { useNow } from './use-now'

export function AgentAge({ since }: { since: string | null }) {
  const age = agentAge(since, useNow())
  return age ? <span class="quiet agent-age"> · {age}</span> : null
}
