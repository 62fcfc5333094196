// The findings that were chosen, and what they are chosen by.
import { useMemo, useRef } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import {
  choiceFor,
  foldedInto,
  freshChoice,
  holding,
  leadTo,
  MOST_ROWS,
  sift,
  type By,
  type Choice,
} from '../state/board'
import type { RealmModel } from '../state/model'
import { foldersOf, roomOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { FindingRow, type RowActs } from './finding-row'
import { FindingsFoot } from './findings-foot'
import { FindingsNone } from './findings-none'
import { FindingsControls } from './findings-controls'
import { FindingsSummary } from './findings-summary'

const NOTHING: readonly Finding[] = []

export function FindingsBoard({ realm, onGo }: { realm: RealmModel; onGo: (room: string) => void }) {
  const app = useApp()
  const all = realm.world.findings
  const choice = choiceFor(app.board.value, realm.id)
  const { sort, withdrawn, most, open, lead } = choice
  const set = (over: Partial<Choice>) => {
    app.board.value = { ...choiceFor(app.board.peek(), realm.id), ...over }
  }
  const folders = useMemo(() => foldersOf(realm.world.mapTree), [realm.world.mapTree])
  const shown = useSifted(all, choice, folders)
  const total = useMemo(() => holding(all), [all])
  const titles = useMemo(() => new Map(withdrawn ? all.map((f) => [f.id, f.title]) : []), [all, withdrawn])
  const folded = useMemo(() => foldedInto(all), [all])
  const acts = useRef<RowActs | null>(null)
  acts.current = {
    toggle: (id) => set({ open: toggled(open, id) }),
    go: onGo,
    lead: (id) => {
      app.board.value = leadTo(all, choice, folders, id)
    },
    led: () => set({ lead: '' }),
  }
  const heroes = useMemo(() => [...new Set(all.map((f) => f.agentId))].filter(Boolean), [all])
  const drawn = shown.slice(0, most)
  const rest = shown.length - drawn.length
  return (
    <div class="findings">
      <div class="board-head">
        <FindingsControls
          realm={realm}
          choice={choice}
          heroes={heroes}
          folders={folders}
          set={(over) => set({ most: MOST_ROWS, ...over })}
        />
        <FindingsSummary shown={shown} total={total} />
        <FindingsFoot
          realm={realm}
          gone={all.length - total}
          withdrawn={withdrawn}
          onWithdrawn={() => set({ withdrawn: !withdrawn })}
        />
      </div>
      <div class="board-box scroll" tabIndex={0} role="group" aria-label={words.findings.title} data-testid="findings">
        {drawn.length === 0 ? (
          <FindingsNone onAll={() => set({ ...freshChoice(realm.id), sort, withdrawn, open })} />
        ) : (
          <ul>
            {drawn.map((f) => (
              <FindingRow
                key={f.id}
                finding={f}
                realm={realm}
                room={roomOf(realm, folders, f.path)}
                open={open.has(f.id)}
                led={lead === f.id}
                instead={f.into !== undefined ? titles.get(f.into) : undefined}
                also={folded.get(f.id) ?? NOTHING}
                acts={acts}
              />
            ))}
          </ul>
        )}
        {rest > 0 && (
          <button
            type="button"
            class="board-more"
            data-testid="findings-more"
            onClick={() => set({ most: most + MOST_ROWS, lead: shown[most]?.id ?? '' })}
          >
            {words.findings.more(Math.min(rest, MOST_ROWS), rest)}
          </button>
        )}
      </div>
    </div>
  )
}

/** Sifts again only where what is sifted, or by what, has changed: not where a row is opened. */
function useSifted(all: readonly Finding[], choice: By, folders: ReadonlySet<string>): Finding[] {
  const { severity, hero, folder, text, sort, withdrawn } = choice
  return useMemo(
    () => sift(all, { severity, hero, folder, text, sort, withdrawn }, folders),
    [all, severity, hero, folder, text, sort, withdrawn, folders],
  )
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next
}
