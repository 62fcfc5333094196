// A transcript. It scrolls to new rows, loads older rows when the person scrolls up, and shows the conversation's state
// if there are no rows.
import { useEffect, useMemo } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import type { Message } from '../../net/protocol.gen'
import { isSealed, sealedFor, type Sealed } from '../../state/sealed'
import { isOver, MAX_MESSAGES } from '../../state/views'
import { words } from '../../words'
import { useApp } from '../context'
import { stageName } from '../stage-name'
import { useSelect } from '../use-select'
import { WindowList } from '../window-list'
import { Announcer } from './announcer'
import { pendingOpen } from './fetching'
import { ConversationHead } from './head'
import { RowView } from './row-view'
import { buildRows, notesIn, pendingIn, shownRows } from './rows'
import { ConversationFoot } from './foot'
import { lastRemark } from '../../state/news'

/** The page requests older rows only if it can store at least this many more rows; MAX_MESSAGES is its limit. */
const ROOM = 200

export function Transcript({ realm, view, onBack }: ConversationProps & { onBack: (() => void) | null }) {
  const app = useApp()
  const id = view.conversationId
  const part = app.conversations.part.value
  const pending = app.pending.value
  const ask = pendingOpen(pending, id, false)
  const loading = ask !== undefined && ask.status !== 'refused'
  const { page, notes, id: realmId } = realm
  const { messages, hasMore } = view
  const read = useMemo(
    () => shownRows(page, { conversationId: id, messages, hasMore }, part),
    [page, id, messages, hasMore, part],
  )
  const { template, conversationId: processId } = realm.world.processState
  const process = id === processId
  const waiting = useMemo(() => pendingIn(pending, realmId, id, process), [pending, realmId, id, process])
  const { staged } = kindOf(view)
  const sealed = useSelect(() => sealedFor(app.model), [app])
  const rows = useMemo(() => {
    const stages = staged ? (stage: string) => stageName(template, stage) : null
    return buildRows({ read, notes: notesIn(notes, id), pending: waiting, loading, stages, sealed })
  }, [read, id, notes, waiting, loading, staged, template, sealed])
  const seen = useMemo(() => unsealed(messages, sealed), [messages, sealed])
  const taken = useMemo(() => ({ ...read, rows: unsealed(read.rows, sealed) }), [read, sealed])
  const said = useSelect(() => (process ? lastRemark(realm, app.model.me?.spectatorId) : ''), [realm, app, process])
  // Marks the rows as read when they change while the page is visible.
  useEffect(() => {
    if (document.visibilityState !== 'hidden') app.conversations.markSeen(id)
  }, [app, id, view.updatedAt, said])
  const older = () => {
    if (ask?.status === 'refused') app.discard(ask.requestId)
    if (read.hasMore && !loading && view.messages.length < MAX_MESSAGES - ROOM) app.conversations.older(id)
  }
  const stay = () => app.conversations.stay(id) // who scrolls or clicks in it reads it
  return (
    <div
      class="conversation-body"
      data-testid="conversation"
      data-conversation={id}
      data-kind={view.kind}
      onPointerDown={stay}
      onWheel={stay}
      onKeyDown={stay}
    >
      <ConversationHead view={view} realm={realm} read={taken} onBack={onBack} />
      <Announcer messages={seen} key={id} />
      {!read.live && (
        <p class="conversation-part">
          <span>{words.conversation.part}</span>
          <button type="button" class="small" data-testid="talk-newest" onClick={() => app.conversations.showNewest()}>
            {words.conversation.toNewest}
          </button>
        </p>
      )}
      {rows.length === 0 ? (
        <div class="empty" data-testid="transcript">
          <p>{words.conversation.nothing}</p>
          <p class="quiet">{!isOver(view.status) && view.status !== 'queued' ? kindOf(view).empty(view) : ''}</p>
        </div>
      ) : (
        <WindowList
          key={`${id} ${part?.stageId ?? ''} ${read.live}`}
          items={rows}
          keyOf={(r) => r.key}
          estimate={84}
          follow={read.live}
          lead={part?.messageId ?? ''}
          said={waiting.at(-1)?.requestId ?? ''}
          onTop={older}
          isPlace={(row) => row.kind === 'message'}
          label={words.transcript.label}
          testid="transcript"
          render={(row) => <RowView row={row} realm={realm} view={view} led={row.key === part?.messageId} />}
        />
      )}
      <ConversationFoot view={view} realm={realm} />
    </div>
  )
}

/** The rows without the answers that the person does not see yet. */
function unsealed(rows: readonly Message[], sealed: Sealed | null): readonly Message[] {
  return sealed ? rows.filter((m) => !isSealed(sealed, m)) : rows
}
