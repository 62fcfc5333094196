// The members with whom a council begins. Pure.
import type { Agent } from '../../state/conversations'

/**
 * The ids of the members of the code review that the form proposes first, because most questions concern what they are
 * good at.
 */
const FIRST_ASKED = ['architect', 'sentinel', 'healer', 'sage']

/** The number of members that the form proposes for a council. */
const COUNCIL = 3

/**
 * The members that the form proposes for a council: those that the person has chosen already, then FIRST_ASKED, then
 * other agents, until there are COUNCIL members.
 */
export function councilOf(agents: readonly Agent[], chosen: readonly string[]): string[] {
  const asked = FIRST_ASKED.filter((id) => agents.some((a) => a.id === id))
  const all = new Set([...chosen, ...asked, ...agents.map((a) => a.id)])
  return [...all].slice(0, Math.max(COUNCIL, chosen.length))
}
