// The select that limits a process's transcript to one stage.
import { useApp } from '../../panels/context'
import { words } from '../../words'
import type { ConversationProps } from '../kind'

export function StagePick({ view, realm }: ConversationProps) {
  const app = useApp()
  const stages =
    view.conversationId === realm.world.processState.conversationId
      ? (realm.world.processState.template?.stages ?? [])
      : []
  if (stages.length < 2) return null
  return (
    <select
      class="stage-pick"
      aria-label={words.conversation.stage}
      data-testid="stage-pick"
      value={app.conversations.part.value?.stageId ?? ''}
      onChange={(e) => app.conversations.openStage(view.conversationId, e.currentTarget.value)}
    >
      <option value="">{words.conversation.allStages}</option>
      {stages.map((s) => (
        <option key={s.id} value={s.id}>
          {s.name}
        </option>
      ))}
    </select>
  )
}
