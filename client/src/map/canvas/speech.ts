// The texts over coding agents that wait for a person, and the members whose answer was cut off. Pure. spoken.ts
// has the speech bubbles of members.
import type { AgentState, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import { agentWords } from '../../words-agents'

/** The longest text of a bubble, in characters. */
export const LONGEST = 90

/** How many of the newest rows are searched for the last row of a member. */
const SEARCHED = 256

/** The texts over coding agents that wait, by member id. */
export function heldWords(r: RealmModel): Map<string, string> {
  const out = new Map<string, string>()
  for (const { id, state } of r.world.agents)
    if (state && isHeld({ state })) out.set(id, held(state, r.world.realm.path))
  return out
}

/**
 * The text for a coding agent that waits for a person. A long text is cut at its end, because its beginning says
 * whether a person has to act.
 */
function held(s: AgentState, root?: string): string {
  const letters = [...agentWords(s, false, root)]
  return letters.length > LONGEST ? letters.slice(0, LONGEST - 1).join('') + '…' : letters.join('')
}

/** A cache for cutOff by realm.views, which is a new object after each change of a conversation. */
const found = new WeakMap<RealmModel['views'], ReadonlySet<string>>()

/** The members whose last row was interrupted. */
export function cutOff({ views }: RealmModel): ReadonlySet<string> {
  const known = found.get(views)
  if (known) return known
  const last = new Map<string, Message['status']>()
  for (const view of Object.values(views)) {
    for (const row of view.messages.slice(-SEARCHED)) if (row.memberId) last.set(row.memberId, row.status)
  }
  const out = new Set([...last].filter(([, status]) => status === 'interrupted').map(([id]) => id))
  found.set(views, out)
  return out
}
