// The names and colours of agents for panels. They do not change when an agent walks, so panels do not render while
// it walks. Pure.
import type { Agent } from '../net/protocol.gen'

export interface AgentLabel {
  id: string
  name: string
  color: string
}

/** The labels of these agents; the same array if none has changed. */
export function labelsOf(agents: readonly Agent[], before: readonly AgentLabel[]): readonly AgentLabel[] {
  const same = (a: Agent, f: AgentLabel | undefined): f is AgentLabel =>
    f?.id === a.id && f.name === a.displayName && f.color === a.color
  if (agents.length === before.length && agents.every((a, i) => same(a, before[i]))) return before
  return agents.map(({ id, displayName, color }) => ({ id, name: displayName, color }))
}
