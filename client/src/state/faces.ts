// Who stands in the realm, as panels name and colour them. A walk changes an agent and not its face, so that no
// name is drawn again while heroes walk. Pure.
import type { Agent } from '../net/protocol.gen'

export interface Face {
  id: string
  name: string
  color: string
}

/** The faces of these agents: those of before where none has changed. */
export function facesOf(agents: readonly Agent[], before: readonly Face[]): readonly Face[] {
  const same = (a: Agent, f: Face | undefined): f is Face =>
    f?.id === a.id && f.name === a.displayName && f.color === a.color
  if (agents.length === before.length && agents.every((a, i) => same(a, before[i]))) return before
  return agents.map(({ id, displayName, color }) => ({ id, name: displayName, color }))
}
