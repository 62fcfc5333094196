// The transcript of the conversation that was chosen: it is fetched where it is not
// here, follows what is said, goes back as far as the reader scrolls, and says how
// it stands where there is nothing to show.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Pending } from '../../net/outbox'
import type { ConversationView, Message } from '../../net/protocol.gen'
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { canTakeUp, isAtHand } from '../../state/party'
import { isHere, memberName, memberOf, sortOf } from '../../state/talks'
import { isOver, MAX_MESSAGES } from '../../state/views'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../marks'
import { cut } from '../plain'
import { Refusals } from '../refusals'
import { WindowList } from '../window-list'
import { ErasedTalk } from '../erase'
import { Composer } from './composer'
import { ForgeDone, ForgeWorking } from './forge'
import { TalkHead } from './head'
import { Resting, SessionNotices } from './party'
import { Retry, RowView } from './row-view'
import { buildRows, pendingIn, reading } from './rows'
import { StopRun } from './stop-run'

/** How long an answer is waited for before the page says so, in milliseconds. */
const PATIENCE_MS = 10_000
/** What is read out of a new message, in characters. */
const ANNOUNCED = 300

export function Conversation({ realm, id, onBack }: { realm: RealmModel; id: string; onBack: (() => void) | null }) {
  const app = useApp()
  const view = realm.views[id]
  if (isErased(realm, id)) return <ErasedTalk onBack={onBack ?? (() => app.talks.leaveErased())} />
  return isHere(view) ? (
    <Transcript realm={realm} view={view} onBack={onBack} />
  ) : (
    <Fetching key={id} realm={realm} id={id} onBack={onBack} />
  )
}

/** The command that asks for rows of a conversation and has not been answered. newest: for the newest of all. */
function asking(pending: readonly Pending[], id: string, newest: boolean): Pending | undefined {
  return pending.find(
    (p) =>
      p.frame.type === 'conversation.open' &&
      p.frame.conversationId === id &&
      p.frame.limit !== 1 &&
      (!newest || (p.frame.before === undefined && !p.frame.stageId)),
  )
}

/** A loading state that always ends: with the rows, with an error, or by saying that nobody answers (S0-19). */
function Fetching({ realm, id, onBack }: { realm: RealmModel; id: string; onBack: (() => void) | null }) {
  const app = useApp()
  const live = app.live.value
  const ask = asking(app.pending.value, id, true)
  const [late, setLate] = useState(false)
  const known = useRef(false)
  useEffect(() => {
    if (live && !ask && !known.current) app.talks.open(id)
    known.current = ask !== undefined
  }, [live, ask === undefined, id])
  useEffect(() => {
    setLate(false)
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [ask?.requestId])
  const again = () => {
    if (ask) app.discard(ask.requestId)
    known.current = false
    setLate(false)
    app.talks.open(id)
  }
  const failed = ask?.status === 'refused'
  const process = realm.world.processState.conversationId
  return (
    <div class="talk-body">
      {onBack && (
        <header class="talk-head">
          <button type="button" class="small ghost" data-testid="talk-back" onClick={onBack}>
            ‹ {words.chats.back}
          </button>
        </header>
      )}
      <div
        class="empty"
        data-testid="talk-loading"
        data-state={failed ? 'failed' : !live ? 'waiting' : late ? 'late' : 'loading'}
        role="status"
        aria-busy={!failed && live}
      >
        <p>
          {failed
            ? `${words.chats.failed} ${ask?.error?.message ?? ''}`
            : !live
              ? words.chats.waiting
              : late
                ? words.chats.silent
                : words.chats.loading}
        </p>
        {(failed || late) && (
          <div class="buttons">
            <button type="button" data-testid="talk-again" onClick={again}>
              {words.chats.again}
            </button>
            {process !== '' && process !== id && (
              <button type="button" onClick={() => app.talks.choose(process)}>
                {words.chats.gone}
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

function Transcript({
  realm,
  view,
  onBack,
}: {
  realm: RealmModel
  view: ConversationView
  onBack: (() => void) | null
}) {
  const app = useApp()
  const id = view.conversationId
  const me = app.model.value.me?.spectatorId
  const look = app.talks.look.value
  const pending = app.pending.value
  const ask = asking(pending, id, false)
  const loading = ask !== undefined && ask.status !== 'refused'
  const read = useMemo(() => reading(realm, view, look), [realm.page, view.messages, view.hasMore, look])
  const waiting = useMemo(() => pendingIn(pending, realm, id), [pending, realm.id, id])
  const rows = useMemo(
    () => buildRows(realm, view, read, waiting, loading),
    [realm.notes, read, waiting, loading, realm.world.processState.template],
  )
  // What is in sight has been seen.
  useEffect(() => {
    if (document.visibilityState !== 'hidden') app.talks.sawNow(id)
  }, [id, view.updatedAt])
  const older = () => {
    if (ask?.status === 'refused') app.discard(ask.requestId)
    if (read.hasMore && !loading && view.messages.length < MAX_MESSAGES - 200) app.talks.older(id)
  }
  // Who is at work without a row that streams: thinking, or at a tool.
  const bare =
    view.kind === 'process'
      ? []
      : view.activeRuns.filter(
          (run) =>
            run.memberId !== me &&
            !view.messages.some((m) => m.status === 'open' && m.role === 'assistant' && m.requestId === run.requestId),
        )
  const quiet = rows.length === 0
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
      {quiet ? (
        <div class="empty" data-testid="transcript">
          <p>{words.chats.nothing}</p>
          <p class="quiet">
            {!isOver(view.status) && view.status !== 'queued' ? words.chats.begins[sortOf(view)] : ''}
          </p>
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
      {view.kind === 'forge' && <ForgeWorking view={view} />}
      {bare[0] && !view.plan.forge?.working && (
        <p class="thinking" role="status" data-testid="thinking">
          <StateMark state={memberOf(view, bare[0].memberId)?.type === 'human' ? 'reading' : 'running'} />
          <span>
            {memberOf(view, bare[0].memberId)?.type === 'human'
              ? words.chats.isAsked(memberName(realm, view, bare[0].memberId))
              : words.chats.isAtWork(memberName(realm, view, bare[0].memberId))}
          </span>
          {memberOf(view, bare[0].memberId)?.type !== 'human' && <StopRun view={view} requestId={bare[0].requestId} />}
        </p>
      )}
      <Retry view={view} />
      <Overtaken realm={realm} id={id} />
      <Refusals of={id} />
      {view.kind === 'forge' && <ForgeDone view={view} realm={realm} />}
      {view.kind === 'party' && <SessionNotices view={view} realm={realm} />}
      {view.kind === 'party' && !isAtHand(realm, id) && <Resting view={view} realm={realm} />}
      {canTakeUp(view) && (
        <p class="talk-over-line quiet">{view.kind === 'forge' ? words.forge.takeUp : words.chats.takeUp}</p>
      )}
      {view.kind !== 'process' &&
        view.kind !== 'party' &&
        isOver(view.status) &&
        !canTakeUp(view) &&
        !(view.kind === 'forge' && view.status === 'completed') && (
          <p class="talk-over-line quiet">{words.chats.ended[view.status]}</p>
        )}
      {view.kind !== 'process' &&
        app.host.value &&
        (!isOver(view.status) || canTakeUp(view)) &&
        (view.kind !== 'party' || isAtHand(realm, id)) && <Composer key={id} view={view} realm={realm} />}
    </div>
  )
}

/** Somebody spoke before these words: both are kept, and it is said once (S1-12). */
function Overtaken({ realm, id }: { realm: RealmModel; id: string }) {
  const app = useApp()
  const told = realm.overtaken
  if (told?.conversationId !== id) return null
  return (
    <p class="overtaken" role="status" data-testid="overtaken" data-own={told.own ?? false}>
      <StateMark state="waiting" />
      <span>{told.own ? words.chats.overtakenOwn : words.chats.overtaken(told.name)}</span>
      <button type="button" class="icon-button" aria-label={words.chats.dismiss} onClick={() => app.talks.noticed()}>
        ✕
      </button>
    </p>
  )
}

/** Reads out each message as it closes, not while it streams, and not the past. */
function Announcer({ messages }: { messages: readonly Message[] }) {
  const [said, setSaid] = useState({ id: '', text: '' })
  const closed = useRef<string | null>(null)
  const last = messages.findLast((m) => m.status !== 'open')
  useEffect(() => {
    const before = closed.current
    closed.current = last?.messageId ?? ''
    if (before !== null && last && last.messageId !== before)
      setSaid({ id: last.messageId, text: words.talk.announced(last.name, cut(last.content, ANNOUNCED)) })
  }, [last?.messageId])
  return (
    <div class="visually-hidden" role="log" aria-live="polite">
      {messages.some((m) => m.messageId === said.id && m.content !== '') ? said.text : ''}
    </div>
  )
}
