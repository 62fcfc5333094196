// The members with whom a council begins. Pure.
import type { Agent } from '../../state/conversations'

/** The ids of the review's members whose sides most questions have. */
const FIRST_ASKED = ['architect', 'sentinel', 'healer', 'sage']

/** The number of members of a council that nobody has chosen. */
const COUNCIL = 3

/** The members with whom a council begins if a person has chosen no more than those in `chosen`. */
export function councilOf(agents: readonly Agent[], chosen: readonly string[]): string[] {
  const asked = FIRST_ASKED.filter((id) => agents.some((a) => a.id === id))
  const all = new Set([...chosen, ...asked, ...agents.map((a) => a.id)])
  return [...all].slice(0, Math.max(COUNCIL, chosen.length))
}
