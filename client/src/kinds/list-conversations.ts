// The list of conversations. For each one it tells whether a run is in progress and whether the conversation waits for
// the person at this page.
import type { Conversation } from '../net/protocol.gen'
import type { Model } from '../state/model'
import { infoOf } from '../state/snapshots'
import { compareTimes } from '../state/time'
import { kindOf } from './kinds'

/** A row of the list. */
export interface ListedConversation extends Conversation {
  /** Whether a run is in progress, or somebody is at work without one. */
  running: boolean
  /**
   * Whether the conversation waits for the person at this page: it is the person's turn, or the plan asks the person.
   */
  asked: boolean
  /** The people for whom the conversation waits, as names, if it waits for others; "" for nobody. */
  waitsFor: string
}

/**
 * All known conversations: first the current process, then those that wait for the person at this page, then other live
 * ones, then the rest; within each group the one that changed last comes first.
 */
export function listConversations(m: Model): ListedConversation[] {
  const r = m.realm
  if (!r) return []
  const now = r.world.processState.conversationId
  const me = m.me?.spectatorId
  const shown = Object.values(r.views).map((v): ListedConversation => {
    const asked = kindOf(v).isMyTurn(m, v) || v.plan.asked.some((a) => a.memberId === me)
    const waitsFor = asked ? '' : kindOf(v).waitsFor(m, v)
    const running = waitsFor === '' && (v.activeRuns.length > 0 || kindOf(v).isRunning(m, v))
    return { ...infoOf(v), running, asked, waitsFor }
  })
  const listed = Object.values(r.heads)
    .filter((h) => !r.views[h.conversationId])
    .map((h): ListedConversation => ({ ...h, running: false, asked: false, waitsFor: '' }))
  return [...shown, ...listed].sort(
    (a, b) =>
      Number(b.conversationId === now) - Number(a.conversationId === now) ||
      liveness(b) - liveness(a) ||
      compareTimes(b.updatedAt, a.updatedAt) ||
      compareTimes(a.conversationId, b.conversationId),
  )
}

/** 2: the conversation waits for the person at this page. 1: it is live. 0: neither. */
function liveness(c: ListedConversation): number {
  return c.asked ? 2 : Number(kindOf(c).isLive(c))
}
