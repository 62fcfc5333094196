// A transcript: it follows what is said, goes back as far as the reader scrolls, and says how the conversation
// stands where there is nothing to show.
import { useEffect, useMemo } from 'preact/hooks'
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { isOver, MAX_MESSAGES } from '../../state/views'
import { words } from '../../words'
import { useApp } from '../context'
import { stageName } from '../stage-name'
import { WindowList } from '../window-list'
import { Announcer } from './announcer'
import { asking } from './fetching'
import { TalkHead } from './head'
import { RowView } from './row-view'
import { buildRows, pendingIn, reading } from './rows'
import { TalkFoot } from './talk-foot'

/** Older rows are fetched until this few more fit. */
const ROOM = 200

export function Transcript({ realm, view, onBack }: InView & { onBack: (() => void) | null }) {
  const app = useApp()
  const id = view.conversationId
  const look = app.talks.look.value
  const pending = app.pending.value
  const ask = asking(pending, id, false)
  const loading = ask !== undefined && ask.status !== 'refused'
  const { page, notes, id: realmId } = realm
  const { messages, hasMore } = view
  const read = useMemo(
    () => reading(page, { conversationId: id, messages, hasMore }, look),
    [page, id, messages, hasMore, look],
  )
  const { template, conversationId: processId } = realm.world.processState
  const process = id === processId
  const waiting = useMemo(() => pendingIn(pending, realmId, id, process), [pending, realmId, id, process])
  const { staged } = kindOf(view)
  const rows = useMemo(() => {
    const stages = staged ? (stage: string) => stageName(template, stage) : null
    return buildRows({ read, notes: process ? notes : [], pending: waiting, loading, stages })
  }, [read, process, notes, waiting, loading, staged, template])
  // What is in sight has been seen.
  useEffect(() => {
    if (document.visibilityState !== 'hidden') app.talks.sawNow(id)
  }, [app, id, view.updatedAt])
  const older = () => {
    if (ask?.status === 'refused') app.discard(ask.requestId)
    if (read.hasMore && !loading && view.messages.length < MAX_MESSAGES - ROOM) app.talks.older(id)
  }
  return (
    <div class="talk-body" data-testid="conversation" data-conversation={id} data-kind={view.kind}>
      <TalkHead view={view} realm={realm} read={read} onBack={onBack} />
      <Announcer messages={view.messages} key={id} />
      {!read.live && (
        <p class="talk-part">
          <span>{words.chats.part}</span>
          <button type="button" class="small" data-testid="talk-newest" onClick={() => app.talks.readAll()}>
            {words.chats.toNewest}
          </button>
        </p>
      )}
      {rows.length === 0 ? (
        <div class="empty" data-testid="transcript">
          <p>{words.chats.nothing}</p>
          <p class="quiet">{!isOver(view.status) && view.status !== 'queued' ? kindOf(view).empty(view) : ''}</p>
        </div>
      ) : (
        <WindowList
          key={`${id} ${look?.stageId ?? ''} ${read.live}`}
          items={rows}
          keyOf={(r) => r.key}
          estimate={84}
          follow={read.live}
          lead={look?.messageId ?? ''}
          said={waiting.at(-1)?.requestId ?? ''}
          onTop={older}
          isPlace={(row) => row.kind === 'message'}
          label={words.talk.label}
          testid="transcript"
          render={(row) => <RowView row={row} realm={realm} view={view} led={row.key === look?.messageId} />}
        />
      )}
      <TalkFoot view={view} realm={realm} />
    </div>
  )
}
