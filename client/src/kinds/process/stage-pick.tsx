// A process's transcript by its stages.
import { useApp } from '../../panels/context'
import { words } from '../../words'
import type { InView } from '../kind'

export function StagePick({ view, realm }: InView) {
  const app = useApp()
  const stages =
    view.conversationId === realm.world.processState.conversationId
      ? (realm.world.processState.template?.stages ?? [])
      : []
  if (stages.length < 2) return null
  return (
    <select
      class="stage-pick"
      aria-label={words.chats.stage}
      data-testid="stage-pick"
      value={app.talks.look.value?.stageId ?? ''}
      onChange={(e) => app.talks.readStage(view.conversationId, e.currentTarget.value)}
    >
      <option value="">{words.chats.allStages}</option>
      {stages.map((s) => (
        <option key={s.id} value={s.id}>
          {s.name}
        </option>
      ))}
    </select>
  )
}
