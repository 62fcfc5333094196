// The panel in the place of a conversation: it lists the messages to everybody in the realm that belong to no
// conversation. It is shown while no conversation is open.
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'
import { WindowList } from '../window-list'
import { FirstQuestions } from './first-questions'
import { RowView } from './row-view'
import { buildRows, notesIn, pendingIn } from './rows'

export function Hall({ realm, onBack }: { realm: RealmModel; onBack: (() => void) | null }) {
  const app = useApp()
  const process = realm.world.processState.conversationId === ''
  const rows = buildRows({
    read: { rows: [], hasMore: false, live: true },
    notes: notesIn(realm.notes, ''),
    pending: pendingIn(app.pending.value, realm.id, '', process),
    loading: false,
    stages: null,
    sealed: null,
  })
  return (
    <div class="conversation-body" data-testid="hall">
      <header class={rows.length === 0 ? 'conversation-head conversation-head-bare' : 'conversation-head'}>
        {onBack && (
          <button type="button" class="small ghost" data-testid="talk-back" onClick={onBack}>
            ‹ {words.conversation.back}
          </button>
        )}
        {rows.length > 0 && <h3 class="conversation-title">{words.conversation.hall}</h3>}
      </header>
      {rows.length === 0 ? (
        <FirstQuestions />
      ) : (
        <WindowList
          items={rows}
          keyOf={(r) => r.key}
          estimate={40}
          follow
          lead=""
          onTop={() => undefined}
          isPlace={(row) => row.kind === 'note'}
          label={words.conversation.hall}
          testid="transcript"
          render={(row) => <RowView row={row} realm={realm} view={null} led={false} />}
        />
      )}
    </div>
  )
}
