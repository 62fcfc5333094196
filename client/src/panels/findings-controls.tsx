// The controls that filter and order findings.
import { useMemo } from 'preact/hooks'
import { folderOf, ROOT, SORTS, WORST_FIRST, type FindingsFilter, type Sort } from '../state/findings'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { words } from '../words'
import { LabelledSelect } from './labelled-select'

const NO_SEVERITY: FindingsFilter['severity'] = ''

interface FindingsControlsProps {
  realm: RealmModel
  filter: FindingsFilter
  folders: ReadonlySet<string>
  set: (over: Partial<FindingsFilter>) => void
}

export function FindingsControls({ realm, filter: c, folders, set }: FindingsControlsProps) {
  const all = realm.world.findings
  const heroes = useMemo(() => [...new Set(all.map((f) => f.agentId))].filter(Boolean), [all])
  const places = useMemo(() => [...new Set(all.map((f) => folderOf(f.path, folders)))].sort(), [all, folders])
  const w = words.findings
  return (
    <div class="findings-controls" role="group" aria-label={w.choice}>
      <input
        type="search"
        data-testid="findings-filter-text"
        value={c.text}
        placeholder={w.textHint}
        aria-label={w.byText}
        onInput={(e) => set({ text: e.currentTarget.value })}
      />
      <LabelledSelect
        testid="findings-sort"
        label={w.sort}
        value={c.sort}
        options={SORTS.map((s) => [s, w.sorts[s]])}
        onPick={(v) => set({ sort: SORTS.find((s): s is Sort => s === v) ?? 'severity' })}
      />
      <LabelledSelect
        testid="findings-filter-severity"
        label={w.bySeverity}
        any={w.anySeverity}
        value={c.severity}
        options={WORST_FIRST.map((s) => [s, w.severity[s]])}
        onPick={(v) => set({ severity: WORST_FIRST.find((s) => s === v) ?? NO_SEVERITY })}
      />
      <LabelledSelect
        testid="findings-filter-hero"
        label={w.byHero}
        any={w.anyHero}
        value={c.hero}
        options={withChosen(heroes, c.hero).map((id) => [id, nameOf(realm, id)])}
        onPick={(hero) => set({ hero })}
      />
      <LabelledSelect
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

/** The chosen value stays an option even if no finding has it any more. */
function withChosen(options: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || options.includes(chosen) ? options : [...options, chosen]
}
