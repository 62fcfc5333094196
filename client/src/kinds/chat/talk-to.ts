// Talking to an agent: goes on with the chat that there is, or begins one.
import type { App } from '../../app'
import { company } from '../../state/talks'
import { CHAT, chatWith } from './state'

/** stageId: a stage of the process that the chat is about; "" for nothing in particular. */
export function talkTo(app: App, agentId: string, stageId = ''): void {
  const model = app.model
  const known = chatWith(model, agentId, stageId)
  if (known) return app.talks.choose(known.conversationId)
  const asked = app.pending.value.some(
    (p) =>
      p.status !== 'refused' &&
      p.frame.type === 'conversation.start' &&
      p.frame.kind === CHAT &&
      p.frame.memberIds[0] === agentId &&
      (p.frame.stageId ?? '') === stageId,
  )
  if (asked) return
  const { templateId, agents } = company(model)
  app.talks.start({
    kind: CHAT,
    memberIds: [agentId],
    ...(templateId && agents.some((a) => a.id === agentId) ? { templateId } : {}),
    ...(stageId ? { stageId } : {}),
  })
  app.talks.shown.value++
}
