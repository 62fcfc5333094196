// The list of conversations, and the search through all of them.
import { useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { listConversations, type ListedConversation } from '../../kinds/list-conversations'
import { isUnread } from '../../state/conversations'
import { hasRemark } from '../../state/news'
import { myAsks } from '../../state/select'
import { words } from '../../words'
import { HALL } from '../../conversations'
import { useApp } from '../context'
import { useNow } from '../use-now'
import { useSelect } from '../use-select'
import { NewConversation } from './new-conversation'
import { Search } from './search'
import { useListed } from './use-listed'
import { HallRow } from './hall-row'
import { ConversationRow } from './list-row'
import { ListFoot } from './list-foot'

/** The maximum number of conversations that are shown until the person asks for all. */
const FEW = 3

/**
 * compact: the list and the transcript are on one screen; otherwise the list is a screen of its own. beside: the
 * compact list is beside the transcript and shows all rows; otherwise it is above the transcript and shows a few.
 */
interface Props {
  realm: RealmModel
  compact: boolean
  beside: boolean
  onPick: () => void
}

export function ConversationList({ realm, compact, beside, onPick }: Props) {
  const app = useApp()
  const [all, setAll] = useState(false)
  const [searching, setSearching] = useState(false)
  const list = useSelect(() => listConversations(app.model), [app])
  const chosen = app.conversations.chosen.value
  const seen = app.conversations.seen
  const now = useNow()
  const box = useRef<HTMLUListElement>(null)
  useListed(realm)
  const asked = useSelect(() => myAsks(app.model).length > 0, [app])
  const few = compact && !beside && !all
  const shown = few ? fewOf(list, chosen, asked) : list
  const hidden = list.length - shown.length + (realm.moreHeads ? 1 : 0)
  const news = few && list.some((t) => !shown.includes(t) && isUnread(t, seen))
  const process = realm.world.processState.conversationId
  const said = useSelect(() => hasRemark(realm, seen, app.model.me?.spectatorId), [realm, app, seen])
  const hall =
    process === '' && list.length > 0 && (realm.notes.some((n) => n.conversationId === '') || chosen === HALL)
  const pick = (id: string) => {
    app.conversations.choose(id)
    setAll(false) // gives the space back to the transcript
    onPick()
  }
  return (
    <section
      class={
        compact
          ? all
            ? 'conversation-list conversation-list-all'
            : 'conversation-list'
          : 'conversation-list conversation-list-screen'
      }
      aria-label={words.conversation.list}
      data-testid="talk-list"
    >
      <div class="conversation-tools">
        <Search realm={realm} onSearching={setSearching} onPick={onPick} />
        <NewConversation />
      </div>
      {!searching && (
        <>
          <ul ref={box} onKeyDown={(e) => moveFocus(box.current, e)}>
            {hall && <HallRow chosen={chosen === HALL} onPick={pick} />}
            {shown.map((t) => (
              <ConversationRow
                key={t.conversationId}
                conversation={t}
                chosen={t.conversationId === chosen}
                unread={t.conversationId !== chosen && (isUnread(t, seen) || (said && t.conversationId === process))}
                process={t.conversationId === process}
                now={now}
                onPick={pick}
              />
            ))}
          </ul>
          <ListFoot realm={realm} all={!few} questions={!compact} none={list.length === 0} />
          {compact && !beside && (hidden > 0 || all) && (
            <button
              type="button"
              class="link conversation-all"
              aria-expanded={all}
              data-testid="talk-all"
              onClick={() => setAll(!all)}
            >
              {all ? words.conversation.hideList : words.conversation.showList}
              {news && <span class="dot-new" role="img" aria-label={words.conversation.unread} />}
            </button>
          )}
        </>
      )}
    </section>
  )
}

/**
 * The first FEW rows; at the person's turn only one, because the transcript needs the space beside the task. If the
 * chosen row comes later, it replaces the last of them.
 */
function fewOf(list: readonly ListedConversation[], chosen: string, asked: boolean): readonly ListedConversation[] {
  const most = asked && list.length >= FEW ? 1 : FEW
  const at = list.findIndex((t) => t.conversationId === chosen)
  return at >= most ? [...list.slice(0, most - 1), ...list.slice(at, at + 1)] : list.slice(0, most)
}

const STEPS: Readonly<Record<string, (i: number, last: number) => number>> = {
  ArrowDown: (i, last) => Math.min(last, i + 1),
  ArrowUp: (i) => Math.max(0, i - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** Moves the focus by arrow keys, Home and End. */
function moveFocus(list: HTMLElement | null, e: KeyboardEvent): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('button.conversation-row') ?? [])]
  const i = rows.indexOf(document.activeElement as HTMLElement)
  const step = Object.hasOwn(STEPS, e.key) ? STEPS[e.key] : undefined
  if (!step || i < 0) return
  e.preventDefault()
  rows[step(i, rows.length - 1)]?.focus()
}
