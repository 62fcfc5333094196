// Who wrote an artifact: the role, and the person who played it. Pure.
import type { Artifact } from '../net/protocol.gen'
import type { RealmModel } from './model'
import { casting } from './select'

/**
 * The person who wrote the artifact in a role; "" if an agent wrote it or that is not known. The row of the turn says
 * so, because the role can have another holder since; while the page does not have the row, the cast does.
 */
export function personOf(r: RealmModel, a: Artifact): string {
  const current = r.world.processState.conversationId
  const id = a.processId ?? current
  const row = r.views[id]?.messages.findLast(
    (m) => m.memberId === a.agentId && m.stageId === a.stageId && (m.role === 'user' || m.role === 'assistant'),
  )
  if (row) return row.role === 'user' ? (row.name ?? '') : ''
  const held = id === current ? casting(r, a.agentId) : null
  return held?.kind === 'human' ? (held.name ?? '') : ''
}
