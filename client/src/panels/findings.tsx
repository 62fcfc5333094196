// What was found: sifted and ordered as the reader chooses, any number of it. The
// choice is the app's, so that it outlives a look at another tab.
import { useMemo, useRef } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import {
  choiceFor,
  folderOf,
  foldedInto,
  freshChoice,
  holding,
  leadTo,
  MOST_ROWS,
  ROOT,
  sift,
  SORTS,
  tally,
  WORST_FIRST,
  type Choice,
  type Sort,
} from '../state/board'
import type { RealmModel } from '../state/model'
import { foldersOf, nameOf, roomOf } from '../state/select'
import { count, words } from '../words'
import { useApp } from './context'
import { ExportLinks } from './export'
import { FindingRow, type RowActs } from './finding-row'
import { SeverityMark } from './marks'

const NO_SEVERITY: Choice['severity'] = ''
const NOTHING: readonly Finding[] = []

export function Findings({ onGo }: { onGo: (room: string) => void }) {
  const { realm } = useApp().model.value
  if (!realm) return null
  if (realm.world.findings.length === 0) {
    return (
      <div class="empty" data-testid="findings">
        <p>{words.findings.empty}</p>
        <p class="quiet">{words.findings.emptyNext}</p>
      </div>
    )
  }
  return <Board realm={realm} onGo={onGo} />
}

function Board({ realm, onGo }: { realm: RealmModel; onGo: (room: string) => void }) {
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
        <Controls
          realm={realm}
          choice={choice}
          heroes={heroes}
          folders={folders}
          set={(over) => set({ most: MOST_ROWS, ...over })}
        />
        <Summary shown={shown} total={total} />
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

interface ControlsProps {
  realm: RealmModel
  choice: Choice
  heroes: readonly string[]
  folders: ReadonlySet<string>
  set: (over: Partial<Choice>) => void
}

function Controls({ realm, choice: c, heroes, folders, set }: ControlsProps) {
  const all = realm.world.findings
  const places = useMemo(() => [...new Set(all.map((f) => folderOf(f.path, folders)))].sort(), [all, folders])
  const w = words.findings
  return (
    <div class="board-controls" role="group" aria-label={w.choice}>
      <input
        type="search"
        data-testid="findings-filter-text"
        value={c.text}
        placeholder={w.textHint}
        aria-label={w.byText}
        onInput={(e) => set({ text: e.currentTarget.value })}
      />
      <Select
        testid="findings-sort"
        label={w.sort}
        value={c.sort}
        options={SORTS.map((s) => [s, w.sorts[s]])}
        onPick={(v) => set({ sort: SORTS.find((s): s is Sort => s === v) ?? 'severity' })}
      />
      <Select
        testid="findings-filter-severity"
        label={w.bySeverity}
        any={w.anySeverity}
        value={c.severity}
        options={WORST_FIRST.map((s) => [s, w.severity[s]])}
        onPick={(v) => set({ severity: WORST_FIRST.find((s) => s === v) ?? NO_SEVERITY })}
      />
      <Select
        testid="findings-filter-hero"
        label={w.byHero}
        any={w.anyHero}
        value={c.hero}
        options={withChosen(heroes, c.hero).map((id) => [id, nameOf(realm, id)])}
        onPick={(hero) => set({ hero })}
      />
      <Select
        testid="findings-filter-folder"
        label={w.byFolder}
        any={w.anyFolder}
        value={c.folder}
        options={withChosen(places, c.folder).map((path) => [path, path === ROOT ? w.root : path])}
        onPick={(folder) => set({ folder })}
      />
    </div>
  )
}

interface SelectProps {
  testid: string
  label: string
  /** What no choice is called; without it there is always one. */
  any?: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onPick: (value: string) => void
}

function Select({ testid, label, any, value, options, onPick }: SelectProps) {
  return (
    <select
      data-testid={testid}
      aria-label={label}
      title={label}
      value={value}
      onChange={(e) => onPick(e.currentTarget.value)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {options.map(([v, text]) => (
        <option key={v} value={v}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** A choice stays one although nothing fits it any more. */
function withChosen(options: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || options.includes(chosen) ? options : [...options, chosen]
}

/** How many fit, and of each severity. */
function Summary({ shown, total }: { shown: readonly Finding[]; total: number }) {
  const counts = useMemo(() => tally(shown), [shown])
  const fitting = useMemo(() => holding(shown), [shown])
  return (
    <p class="quiet board-summary" data-testid="findings-summary">
      <span role="status">{words.findings.summary(fitting, total)}</span>
      {counts.map(([s, n]) => (
        <span key={s} class="board-count" title={`${words.findings.severity[s]}: ${count(n)}`}>
          <SeverityMark severity={s} /> {count(n)}
        </span>
      ))}
    </p>
  )
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next
}
