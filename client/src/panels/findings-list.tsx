// The filtered findings with their controls.
import { Fragment } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import {
  filterFor,
  foldedInto,
  noFilter,
  countIn,
  countStanding,
  filterShowing,
  isNarrow,
  ROWS_STEP,
  stands,
  type FindingState,
  filterFindings,
  type FilterBy,
  type FindingsFilter,
} from '../state/findings'
import type { RealmModel } from '../state/model'
import { foldersOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { Coverage } from './coverage'
import { ExportLinks } from './export'
import { FindingRow, type RowActs } from './finding-row'
import { FindingsStates } from './findings-states'
import { FindingsMore } from './findings-more'
import { FindingsNone } from './findings-none'
import { findingsPart } from './findings-part'
import { FindingsControls } from './findings-controls'
import { FindingsSummary } from './findings-summary'
import type { GoTo } from './place'

const NOTHING: readonly Finding[] = []

interface Props {
  realm: RealmModel
  /** Whether the page is as narrow as a phone. If so, the coverage comes after the findings. */
  phone: boolean
  onGo: GoTo
}

export function FindingsList({ realm, phone, onGo }: Props) {
  const app = useApp()
  const all = realm.world.findings
  const filter = filterFor(app.findingsFilter.value, realm.id)
  const { sort, withdrawn, most, open, lead } = filter
  const set = (over: Partial<FindingsFilter>) => {
    app.findingsFilter.value = { ...filterFor(app.findingsFilter.peek(), realm.id), ...over }
  }
  const choose = (over: Partial<FindingsFilter>) => set({ most: ROWS_STEP, ...over })
  const folders = useMemo(() => foldersOf(realm.world.mapTree), [realm.world.mapTree])
  const counts = useCounts(all)
  const suspected = filter.suspected ?? counts.standing === 0
  const shown = useFiltered(all, filter, folders)
  const titles = useMemo(() => new Map(withdrawn ? all.map((f) => [f.id, f.title]) : []), [all, withdrawn])
  const folded = useMemo(() => foldedInto(all), [all])
  const acts = useRef<RowActs | null>(null)
  acts.current = {
    toggle: (id) => set({ open: toggled(open, id) }),
    go: onGo,
    lead: (id) => (app.findingsFilter.value = filterShowing(all, filter, folders, id)),
    led: () => set({ lead: '' }),
  }
  const first = (state: 'suspected' | 'withdrawn') =>
    filterFindings(all, { ...filter, [state]: true }, folders).find((f) => isApart(f, state))?.id ?? ''
  const showAll = () =>
    set({ ...noFilter(realm.id), sort, open, suspected: true, withdrawn: withdrawn || !isNarrow(filter) })
  const { artifacts } = realm.world
  const coverage = useMemo(() => <Coverage artifacts={artifacts} />, [artifacts]) // new findings keep it
  const links = useLinks(realm.id, !!realm.world.realm.path)
  const drawn = shown.slice(0, most)
  const rest = shown.length - drawn.length
  return (
    <div class="findings">
      <div class="findings-head">
        {!phone && coverage}
        <FindingsControls realm={realm} filter={filter} folders={folders} set={choose} />
        <div class="findings-line">
          <FindingsSummary shown={shown} total={counts.standing} suspected={counts.suspected} />
          <FindingsStates listed={{ suspected, withdrawn }} counts={counts} first={first} set={set} />
        </div>
      </div>
      <div
        class="findings-box scroll"
        tabIndex={0}
        role="group"
        aria-label={words.findings.title}
        data-testid="findings"
      >
        {drawn.length === 0 ? (
          <FindingsNone narrow={isNarrow(filter)} onAll={showAll} />
        ) : (
          <ul>
            {drawn.map((f, i) => (
              <Fragment key={f.id}>
                {findingsPart(f, drawn[i - 1])}
                <FindingRow
                  finding={f}
                  realm={realm}
                  folders={folders}
                  open={open.has(f.id)}
                  led={lead === f.id}
                  instead={f.into !== undefined ? titles.get(f.into) : undefined}
                  also={folded.get(f.id) ?? NOTHING}
                  acts={acts}
                />
              </Fragment>
            ))}
          </ul>
        )}
        {rest > 0 && (
          <FindingsMore rest={rest} onMore={() => set({ most: most + ROWS_STEP, lead: shown[most]?.id ?? '' })} />
        )}
      </div>
      <div class="findings-foot">
        {phone && coverage}
        {links}
      </div>
    </div>
  )
}

/** The numbers of findings by state. */
function useCounts(all: readonly Finding[]) {
  return useMemo(() => {
    const of = (state: FindingState) => countIn(all, state)
    return {
      standing: countStanding(all),
      suspected: of('suspected'),
      accepted: of('accepted'),
      withdrawn: of('withdrawn'),
    }
  }, [all])
}

/**
 * The filtered findings. useFiltered filters again only if the findings or the criteria have changed, not when a row is
 * opened.
 */
/** The links to the exports, which new findings do not draw again. */
function useLinks(realmId: string, map: boolean) {
  return useMemo(() => <ExportLinks realmId={realmId} map={map} findings />, [realmId, map])
}

function useFiltered(all: readonly Finding[], filter: FilterBy, folders: ReadonlySet<string>): Finding[] {
  const { severity, hero, folder, text, sort, suspected, withdrawn } = filter
  return useMemo(
    () => filterFindings(all, { severity, hero, folder, text, sort, suspected, withdrawn }, folders),
    [all, severity, hero, folder, text, sort, suspected, withdrawn, folders],
  )
}

/** Whether the filter of a state lists the finding, apart from those that stand. */
function isApart(f: Finding, state: 'suspected' | 'withdrawn'): boolean {
  return !stands(f) && !!f.withdrawn === (state === 'withdrawn')
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next
}
