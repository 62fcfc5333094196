// The heroes of a realm: the agents on the map, and the members of the process who rest at their forts. The server
// removes a member from the map when its last stage is done; the page then shows the member at its fort. Pure.
import type { Agent, Fort, World } from '../net/protocol.gen'

type Part = Pick<World, 'agents' | 'forts' | 'processState'>

/**
 * The agents of the world in their order, then the resting members. A coding agent whose program has died is in the
 * roster alone: on the map it would look as if it worked.
 */
export function heroesOf({ agents: all, forts, processState }: Part): readonly Agent[] {
  const agents = all.some(isLost) ? all.filter((a) => !isLost(a)) : all
  const { cast, template } = processState
  const resting = cast.flatMap((c) => {
    if (c.kind === 'open' || agents.some((a) => a.id === c.memberId)) return []
    const fort = forts.find((f) => f.agentId === c.memberId)
    const name = template?.roles.find((x) => x.id === c.roleId)?.name ?? fort?.name ?? ''
    return fort ? [atRest(fort, c.roleId, name)] : []
  })
  return resting.length > 0 ? [...agents, ...resting] : agents
}

export function heroOf(w: Part, id: string): Agent | undefined {
  return heroesOf(w).find((a) => a.id === id)
}

function isLost({ state }: Agent): boolean {
  return state?.state === 'lost'
}

function atRest(f: Fort, role: string, name: string): Agent {
  const { agentId: id, color, gateX: x, gateY: y } = f
  return { id, name, displayName: name, kind: 'agent', role, color, status: 'idle', x, y, realm: '' }
}
