// The list of conversations: who last spoke first, what is new, how each stands;
// and the search through all of them, whose hits lead to their row.
import { useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { talks, type Talk as TalkItem } from '../../kinds/list'
import { isUnread } from '../../state/talks'
import { words } from '../../words'
import { HALL } from '../../talks'
import { useApp } from '../context'
import { useSelect } from '../use-select'
import { NewTalk } from './new-talk'
import { Search } from './search'
import { useListed } from './use-listed'
import { HallRow } from './hall-row'
import { TalkRow } from './talk-row'
import { ListEmpty } from './list-empty'
import { ListFoot } from './list-foot'

/** Rows shown before the reader asks for all of them. */
const FEW = 3

/** compact: a few rows above the transcript, or all of them beside it; else a screen of its own. */
interface Props {
  realm: RealmModel
  compact: boolean
  beside: boolean
  onPick: () => void
}

export function TalkList({ realm, compact, beside, onPick }: Props) {
  const app = useApp()
  const [all, setAll] = useState(false)
  const [searching, setSearching] = useState(false)
  const list = useSelect(() => talks(app.model), [app])
  const chosen = app.talks.chosen.value
  const seen = app.talks.seen
  const box = useRef<HTMLUListElement>(null)
  useListed(realm)
  const few = compact && !beside && !all
  const shown = few ? fewOf(list, chosen) : list
  const hidden = list.length - shown.length + (realm.moreHeads ? 1 : 0)
  const news = few && list.some((t) => !shown.includes(t) && isUnread(t, seen))
  const process = realm.world.processState.conversationId
  const hall = process === '' && list.length > 0 && (realm.notes.length > 0 || chosen === HALL)
  const pick = (id: string) => {
    app.talks.choose(id)
    setAll(false) // the transcript has the room again
    onPick()
  }
  return (
    <section
      class={compact ? (all ? 'talk-list talk-list-all' : 'talk-list') : 'talk-list talk-list-screen'}
      aria-label={words.chats.list}
      data-testid="talk-list"
    >
      <div class="talk-tools">
        <Search realm={realm} onSearching={setSearching} onPick={onPick} />
        <NewTalk />
      </div>
      {!searching && (
        <>
          <ul ref={box} onKeyDown={(e) => moveFocus(box.current, e)}>
            {hall && <HallRow chosen={chosen === HALL} onPick={pick} />}
            {shown.map((t) => (
              <TalkRow
                key={t.conversationId}
                talk={t}
                chosen={t.conversationId === chosen}
                unread={t.conversationId !== chosen && isUnread(t, seen)}
                process={t.conversationId === process}
                onPick={pick}
              />
            ))}
          </ul>
          {list.length === 0 && <ListEmpty />}
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

/** The first few; the one that is shown is always among them. */
function fewOf(list: readonly TalkItem[], chosen: string): readonly TalkItem[] {
  const at = list.findIndex((t) => t.conversationId === chosen)
  return at >= FEW ? [...list.slice(0, FEW - 1), ...list.slice(at, at + 1)] : list.slice(0, FEW)
}

const STEPS: Readonly<Record<string, (i: number, last: number) => number>> = {
  ArrowDown: (i, last) => Math.min(last, i + 1),
  ArrowUp: (i) => Math.max(0, i - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** Arrows move between the rows. */
function moveFocus(list: HTMLElement | null, e: KeyboardEvent): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>('button.talk-row') ?? [])]
  const i = rows.indexOf(document.activeElement as HTMLElement)
  const step = Object.hasOwn(STEPS, e.key) ? STEPS[e.key] : undefined
  if (!step || i < 0) return
  e.preventDefault()
  rows[step(i, rows.length - 1)]?.focus()
}
