// What each hero says now: the last sentence of the text that streams into its open row, or for what a coding agent
// waits. Pure.
import type { AgentState, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { splitAnswer } from '../../state/next-questions'
import { isHeld } from '../../state/roster'
import { agentWords } from '../../words-agents'

/** The longest text of a bubble, in characters. */
const LONGEST = 90

/** How many of the newest rows are searched for open rows. */
const SEARCHED = 256

/** The last sentence of a text, complete or not; cut at its beginning if it is too long. */
export function lastSentence(text: string): string {
  const parts = text
    .trim()
    .split(/(?<=[.!?…:])\s+|\n+/)
    .filter((p) => p.trim() !== '')
  const last = (parts.at(-1) ?? '').replace(/^[#>*\-\s`]+/, '').trim()
  const whole = last.length < 12 && parts.length > 1 ? `${parts.at(-2)} ${last}` : last
  const letters = [...whole]
  return letters.length > LONGEST
    ? '…' +
        letters
          .slice(-LONGEST)
          .join('')
          .replace(/^\S*\s/, '')
    : whole
}

/** What each member says now, by member id. */
export function speech(r: RealmModel): Map<string, string> {
  const out = new Map<string, string>()
  for (const { id, state } of r.world.agents)
    if (state && isHeld({ state })) out.set(id, held(state, r.world.realm.path))
  const open = new Set(Object.keys(r.streams))
  if (open.size === 0) return out
  for (const view of Object.values(r.views)) {
    const rows = view.messages
    for (let i = rows.length - 1; i >= Math.max(0, rows.length - SEARCHED); i--) {
      const row = rows[i]!
      const said = open.has(row.messageId) ? r.streams[row.messageId]?.text : undefined
      if (said && row.memberId && !out.has(row.memberId)) out.set(row.memberId, lastSentence(splitAnswer(said).text))
    }
  }
  return out
}

/**
 * The text for a coding agent that waits for a person. A long text is cut at its end, because its beginning says
 * whether a person has to come.
 */
function held(s: AgentState, root?: string): string {
  const letters = [...agentWords(s, false, root)]
  return letters.length > LONGEST ? letters.slice(0, LONGEST - 1).join('') + '…' : letters.join('')
}

/** The members whose last row was interrupted. */
export function cutOff(r: RealmModel): Set<string> {
  const last = new Map<string, Message['status']>()
  for (const view of Object.values(r.views)) {
    for (const row of view.messages.slice(-SEARCHED)) if (row.memberId) last.set(row.memberId, row.status)
  }
  return new Set([...last].filter(([, status]) => status === 'interrupted').map(([id]) => id))
}
