// Selectors for chats. Pure.
import type { ConversationView, Run } from '../../net/protocol.gen'
import type { Model } from '../../state/model'
import { isOver } from '../../state/views'
import { listConversations, type ListedConversation } from '../list-conversations'

export const CHAT = 'chat'

/** The last run, if it failed or was cut off and can be retried. */
export function retryableRun(v: ConversationView): Run | null {
  const last = v.lastRun
  if (isOver(v.status) || v.activeRuns.length > 0 || !last) return null
  return last.status === 'done' || last.status === 'running' ? null : last
}

/**
 * The open chat of the person at this page with an agent; null if there is none. stageId: the stage of the current
 * process that the chat is about, or "" for a chat about no stage.
 */
export function chatWith(m: Model, agentId: string, stageId = ''): ListedConversation | null {
  const about = (t: ListedConversation) =>
    stageId === ''
      ? !t.about
      : t.about?.stageId === stageId && t.about.conversationId === m.realm?.world.processState.conversationId
  return (
    listConversations(m).find(
      (t) =>
        t.kind === CHAT &&
        !isOver(t.status) &&
        about(t) &&
        t.team.members.some((x) => x.id === agentId) &&
        t.team.members.some((x) => x.id === m.me?.spectatorId),
    ) ?? null
  )
}
