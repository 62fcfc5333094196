// The list of conversations: who last spoke first, what is new, how each stands;
// and the search through all of them, whose hits lead to their row.
import { useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { talks } from '../../kinds/list'
import { isUnread } from '../../state/talks'
import { words } from '../../words'
import { HALL } from '../../talks'
import { useApp } from '../context'
import { useSelect } from '../use-select'
import { Search } from './search'
import { useListed } from './use-listed'
import { HallRow } from './hall-row'
import { TalkRow } from './talk-row'
import { ListFoot } from './list-foot'

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
  const list = useSelect(() => talks(app.model), [app])
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
