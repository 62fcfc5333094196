// Opens the chat with an agent: the existing one, or a new one.
import type { App } from '../../app'
import { playedCast } from '../../state/conversations'
import { CHAT, chatWith } from './state'

/** stageId: the stage that the chat is about; "" for none. */
export function openChat(app: App, agentId: string, stageId = ''): void {
  const model = app.model
  const known = chatWith(model, agentId, stageId)
  if (known) return app.conversations.enter(known.conversationId)
  const asked = app.pending.value.some(
    (p) =>
      p.status !== 'refused' &&
      p.frame.type === 'conversation.start' &&
      p.frame.kind === CHAT &&
      p.frame.memberIds[0] === agentId &&
      (p.frame.stageId ?? '') === stageId,
  )
  if (asked) return
  const { templateId, agents } = playedCast(model)
  app.conversations.start({
    kind: CHAT,
    memberIds: [agentId],
    ...(templateId && agents.some((a) => a.id === agentId) ? { templateId } : {}),
    ...(stageId ? { stageId } : {}),
  })
  app.conversations.shownCount.value++
}
