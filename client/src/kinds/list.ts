// The list of conversations, as the page shows it: it asks each kind who is asked.
import type { Conversation } from '../net/protocol.gen'
import type { Model } from '../state/model'
import { infoOf } from '../state/snapshots'
import { inOrderOfTime } from '../state/time'
import { kindOf } from './kinds'

/** A line of the list of conversations. */
export interface Talk extends Conversation {
  /** Somebody is at work in it. */
  running: boolean
  /** The person at this page is asked in it. */
  asked: boolean
}

/** The conversations that are known: the process at hand first, then who last spoke first. */
export function talks(m: Model): Talk[] {
  const r = m.realm
  if (!r) return []
  const now = r.world.processState.conversationId
  const me = m.me?.spectatorId
  const shown = Object.values(r.views).map((v): Talk => ({
    ...infoOf(v),
    running: v.activeRuns.length > 0,
    asked: kindOf(v).asks(m, v) || v.plan.asked.some((a) => a.memberId === me),
  }))
  const listed = Object.values(r.heads)
    .filter((h) => !r.views[h.conversationId])
    .map((h): Talk => ({ ...h, running: false, asked: false }))
  return [...shown, ...listed].sort(
    (a, b) =>
      Number(b.conversationId === now) - Number(a.conversationId === now) ||
      inOrderOfTime(b.updatedAt, a.updatedAt) ||
      inOrderOfTime(a.conversationId, b.conversationId),
  )
}
