// How long a coding agent has been in its state.
import { agentAge } from '../words-agents'
import { DOT } from '../words-format'
import { useNow } from './use-now'

export function AgentAge({ since }: { since: string | null }) {
  const age = agentAge(since, useNow())
  return age ? <span class="quiet agent-age">{DOT + age}</span> : null
}
