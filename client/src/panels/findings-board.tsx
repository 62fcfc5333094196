// The findings that were chosen, and what they are chosen by.
import { useMemo, useRef } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import { choiceFor, foldedInto, freshChoice, holding, leadTo, MOST_ROWS, sift, type Choice } from '../state/board'
import type { RealmModel } from '../state/model'
import { foldersOf, nameOf, roomOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { ExportLinks } from './export'
import { FindingRow, type RowActs } from './finding-row'
import { FindingsControls } from './findings-controls'
import { FindingsSummary } from './findings-summary'

const NOTHING: readonly Finding[] = []

export function FindingsBoard({ realm, onGo }: { realm: RealmModel; onGo: (room: string) => void }) {
  const app = useApp()
  const all = realm.world.findings
  const choice = choiceFor(app.board.value, realm.id)
  const { severity, hero, folder, text, sort, withdrawn, most, open, lead } = choice
  const set = (over: Partial<Choice>) => {
    app.board.value = { ...choiceFor(app.board.peek(), realm.id), ...over }
  }
  const folders = useMemo(() => foldersOf(realm.world.mapTree), [realm.world.mapTree])
  const shown = useMemo(() => sift(all, choice, folders), [all, folders, severity, hero, folder, text, sort, withdrawn])
  const total = useMemo(() => holding(all), [all])
  const gone = all.length - total
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
  // Talk streams while findings are read: the rows are made anew only when something in them changed.
  const stages = realm.world.processState.template
  const heroes = useMemo(() => [...new Set(all.map((f) => f.agentId))].filter(Boolean), [all])
  const called = JSON.stringify(heroes.map((id) => nameOf(realm, id)))
  const rooms = realm.world.map.files + realm.world.map.folders > 0
  const rows = useMemo(
    () =>
      shown
        .slice(0, most)
        .map((f) => (
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
        )),
    [shown, most, open, lead, titles, folded, folders, called, stages, rooms],
  )
  const rest = shown.length - rows.length
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
        <div class="board-foot">
          <ExportLinks realmId={realm.id} />
          {gone > 0 && (
            <button
              type="button"
              class="filter"
              data-testid="findings-withdrawn"
              aria-pressed={withdrawn}
              onClick={() => set({ withdrawn: !withdrawn })}
            >
              {words.findings.withdrawn(gone)}
            </button>
          )}
        </div>
      </div>
      <div class="board-box scroll" tabIndex={0} role="group" aria-label={words.findings.title} data-testid="findings">
        {rows.length === 0 ? (
          <div class="empty">
            <p class="quiet">{words.findings.none}</p>
            <div class="buttons">
              <button
                type="button"
                class="small"
                data-testid="findings-all"
                onClick={() => set({ ...freshChoice(realm.id), sort, withdrawn, open })}
              >
                {words.findings.showAll}
              </button>
            </div>
          </div>
        ) : (
          <ul>{rows}</ul>
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

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next
}
