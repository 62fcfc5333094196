// The button in the head of a process that has ended, which opens its result, also while another process runs.
import { useApp } from '../../panels/context'
import { isOver } from '../../state/views'
import { hasResult } from '../../state/results'
import { words } from '../../words'
import type { ConversationProps } from '../kind'

export function ShowResult({ view, realm }: ConversationProps) {
  const app = useApp()
  const id = view.conversationId
  if (!isOver(view.status) || !hasResult(realm, id)) return null
  return (
    <button
      type="button"
      class="small"
      data-testid="talk-result"
      onClick={() => app.places.visit({ kind: 'result', realmId: realm.id, id })}
    >
      {words.stage.result}
    </button>
  )
}
