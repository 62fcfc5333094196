// Questions that the panels ask about chats. Pure.
import type { ConversationView, Run } from '../../net/protocol.gen'
import type { Model } from '../../state/model'
import { isOver } from '../../state/views'
import { talks, type Talk } from '../list'

export const CHAT = 'chat'

/** The last run of a chat where it came to nothing and may be taken again. */
export function cutOff(v: ConversationView): Run | null {
  const last = v.lastRun
  if (isOver(v.status) || v.activeRuns.length > 0 || !last) return null
  return last.status === 'done' || last.status === 'running' ? null : last
}

/**
 * The chat of this person with that agent that goes on, about that stage of the process at hand or nothing in
 * particular: talking again goes on there.
 */
export function chatWith(m: Model, agentId: string, stageId = ''): Talk | null {
  const about = (t: Talk) =>
    stageId === ''
      ? !t.about
      : t.about?.stageId === stageId && t.about.conversationId === m.realm?.world.processState.conversationId
  return (
    talks(m).find(
      (t) =>
        t.kind === CHAT &&
        !isOver(t.status) &&
        about(t) &&
        t.team.members.some((x) => x.id === agentId) &&
        t.team.members.some((x) => x.id === m.me?.spectatorId),
    ) ?? null
  )
}
