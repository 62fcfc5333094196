// In a stage in which all work at once, nobody sees the others' answers before they have answered. The page hides those
// answers from a person who has an open turn in such a stage, and from nobody else. Pure.
import type { Message } from '../net/protocol.gen'
import type { Model } from './model'
import { acting, casting, isMine, myAsks, stageAt } from './select'

/** The answers that the person at this page does not see yet. */
export interface Sealed {
  /** The process and its current stage. */
  conversationId: string
  stageId: string
  /** The other members of the stage. */
  memberIds: string[]
}

/** What is hidden from the person at this page; null if nothing is. */
export function sealedFor(m: Model): Sealed | null {
  const r = m.realm
  const at = r && stageAt(r)
  if (!at || at.stage.structure !== 'parallel') return null
  const roles = acting(at.stage)
  if (!myAsks(m).some((a) => roles.includes(a.roleId))) return null
  const others = roles.filter((id) => !isMine(casting(r, id), m))
  const memberIds = others.map((id) => casting(r, id)?.memberId ?? id)
  return { conversationId: r.world.processState.conversationId, stageId: at.stage.id, memberIds }
}

/** Whether the row is hidden: an answer of another member of the stage, or a tool call of one. */
export function isSealed(s: Sealed | null, m: Message): boolean {
  return (
    s !== null && s.conversationId === m.conversationId && s.stageId === m.stageId && s.memberIds.includes(m.memberId)
  )
}
