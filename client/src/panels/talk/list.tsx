// The list of conversations: who last spoke first, what is new, how each stands;
// and the search through all of them, whose hits lead to their row.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { kindOf } from '../../kinds/kinds'
import { talks, type Talk } from '../../kinds/list'
import { isUnread } from '../../state/talks'
import { isOver } from '../../state/views'
import { ago, clock, moment, words } from '../../words'
import { HALL } from '../../talks'
import { useApp } from '../context'
import { StateMark } from '../marks'
import { Search } from './search'

/** Rows shown before the reader asks for all of them. */
const FEW = 3

/** compact: a few rows above the transcript, or all of them beside it; else a screen of its own. */
export function TalkList({
  realm,
  compact,
  beside,
  onPick,
}: {
  realm: RealmModel
  compact: boolean
  beside: boolean
  onPick: () => void
}) {
  const app = useApp()
  const [all, setAll] = useState(false)
  const [searching, setSearching] = useState(false)
  const list = talks(app.model.value)
  const chosen = app.talks.chosen.value
  const seen = app.talks.seen
  const box = useRef<HTMLUListElement>(null)
  useListed(realm)
  const at = list.findIndex((t) => t.conversationId === chosen)
  const few = compact && !beside && !all
  // The one that is shown is always among the few.
  const shown = !few ? list : at >= FEW ? [...list.slice(0, FEW - 1), ...list.slice(at, at + 1)] : list.slice(0, FEW)
  const hidden = list.length - shown.length + (realm.moreHeads ? 1 : 0)
  const news = few && list.some((t) => !shown.includes(t) && isUnread(t, seen))
  const pick = (id: string) => {
    app.talks.choose(id)
    setAll(false) // the transcript has the room again
    onPick()
  }
  const onKey = (e: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>('button.talk-row') ?? [])]
    const i = buttons.indexOf(document.activeElement as HTMLElement)
    const to =
      e.key === 'ArrowDown'
        ? i + 1
        : e.key === 'ArrowUp'
          ? i - 1
          : e.key === 'Home'
            ? 0
            : e.key === 'End'
              ? buttons.length - 1
              : null
    if (to === null || i < 0) return
    e.preventDefault()
    buttons[Math.max(0, Math.min(buttons.length - 1, to))]?.focus()
  }
  return (
    <section
      class={compact ? (all ? 'talk-list talk-list-all' : 'talk-list') : 'talk-list talk-list-screen'}
      aria-label={words.chats.list}
      data-testid="talk-list"
    >
      <div class="talk-tools">
        <Search realm={realm} onSearching={setSearching} onPick={onPick} />
        {app.host.value && (
          <button
            type="button"
            class="small"
            data-testid="talk-new"
            onClick={() => (app.talks.starting.value = { kind: '', memberIds: [] })}
          >
            {words.chats.new}
          </button>
        )}
      </div>
      {!searching && (
        <>
          <ul ref={box} onKeyDown={onKey}>
            {realm.world.processState.conversationId === '' &&
              (realm.notes.length > 0 || chosen === HALL) &&
              list.length > 0 && <HallRow chosen={chosen === HALL} onPick={pick} />}
            {shown.map((t) => (
              <TalkRow
                key={t.conversationId}
                talk={t}
                chosen={t.conversationId === chosen}
                unread={t.conversationId !== chosen && isUnread(t, seen)}
                process={t.conversationId === realm.world.processState.conversationId}
                onPick={pick}
              />
            ))}
          </ul>
          {list.length === 0 && (
            <div class="empty">
              <p>{words.chats.empty}</p>
              <p class="quiet">{app.host.value ? words.chats.emptyNext : words.chats.emptySpectator}</p>
            </div>
          )}
          <ListFoot realm={realm} all={!few} />
          {compact && !beside && (hidden > 0 || all) && (
            <button
              type="button"
              class="link talk-all"
              aria-expanded={all}
              data-testid="talk-all"
              onClick={() => setAll(!all)}
            >
              {all ? words.chats.hideList : words.chats.showList}
              {news && <span class="dot-new" role="img" aria-label={words.chats.unread} />}
            </button>
          )}
        </>
      )}
    </section>
  )
}

function HallRow({ chosen, onPick }: { chosen: boolean; onPick: (id: string) => void }) {
  return (
    <li>
      <button
        type="button"
        class="talk-row"
        aria-current={chosen ? 'true' : undefined}
        data-testid="talk-hall"
        onClick={() => onPick(HALL)}
      >
        <StateMark state="open" />
        <span class="talk-name">{words.chats.hall}</span>
        <span class="talk-meta quiet">{words.chats.hallMeta}</span>
      </button>
    </li>
  )
}

/** The list is asked for when it is not known, and after each time that it may have changed out of sight. */
function useListed(realm: RealmModel): void {
  const app = useApp()
  const live = app.live.value
  const unknown = realm.moreHeads === null
  const asking = app.pending.value.some((p) => p.frame.type === 'conversation.list')
  useEffect(() => {
    if (live && unknown && !asking) app.talks.list(false)
  }, [live, unknown, asking])
}

function ListFoot({ realm, all }: { realm: RealmModel; all: boolean }) {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'conversation.list')
  if (ask?.status === 'refused') {
    return (
      <p class="quiet talk-foot" role="alert">
        {words.chats.listFailed} {ask.error?.message}{' '}
        <button type="button" class="link" onClick={() => app.discard(ask.requestId)}>
          {words.chats.again}
        </button>
      </p>
    )
  }
  if (!all || !realm.moreHeads) return null
  return (
    <p class="talk-foot">
      <button
        type="button"
        class="link"
        data-testid="talk-more"
        disabled={ask !== undefined}
        onClick={() => app.talks.list(true)}
      >
        {ask ? words.chats.loadingList : words.chats.more}
      </button>
    </p>
  )
}

function TalkRow({
  talk: t,
  chosen,
  unread,
  process,
  onPick,
}: {
  talk: Talk
  chosen: boolean
  unread: boolean
  process: boolean
  onPick: (id: string) => void
}) {
  const kind = kindOf(t)
  const called = kind.called(t)
  const status = t.asked ? words.chats.asked : t.running ? words.chats.running : kind.listStatus(t)
  const note = kind.listNote(t)
  const old = t.updatedAt !== null && Date.now() - Date.parse(t.updatedAt) > 20 * 3600_000
  return (
    <li>
      <button
        type="button"
        class={`talk-row${isOver(t.status) ? ' talk-over' : ''}${unread ? ' talk-unread' : ''}`}
        aria-current={chosen ? 'true' : undefined}
        data-testid={`talk-${t.conversationId}`}
        data-kind={called.id}
        data-status={t.status}
        data-unread={unread}
        data-process={process}
        onClick={() => onPick(t.conversationId)}
      >
        <StateMark
          state={
            t.asked
              ? 'reading'
              : t.running
                ? 'running'
                : isOver(t.status)
                  ? 'done'
                  : t.status === 'interrupted'
                    ? 'interrupted'
                    : t.status === 'active'
                      ? 'open'
                      : 'waiting'
          }
        />
        <span class="talk-name">{t.title || called.word}</span>
        {unread && <span class="dot-new" role="img" aria-label={words.chats.unread} />}
        <span class="talk-meta quiet">
          {called.word}
          {status && `, ${status}`}
          {note && ` · ${note}`}
        </span>
        <time class="quiet" dateTime={t.updatedAt ?? undefined} title={moment(t.updatedAt ?? '')}>
          {old ? ago(t.updatedAt, Date.now()) : clock(t.updatedAt ?? '')}
        </time>
      </button>
    </li>
  )
}
