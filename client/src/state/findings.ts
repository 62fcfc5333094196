// The findings as the person filters and orders them. Pure, and fast enough to filter 10,000 findings at each typed
// letter.
import type { Finding } from '../net/protocol.gen'

export type Severity = Finding['severity']
export const WORST_FIRST = ['critical', 'high', 'medium', 'low', 'info'] as const satisfies readonly Severity[]
/** A lower number is worse. */
export const RANK: Record<Severity, number> = { critical: 0, high: 1, medium: 2, low: 3, info: 4 }

/** A lower number is more certain. A finding without a confidence counts as one of medium confidence. */
const DOUBT: Record<NonNullable<Finding['confidence']>, number> = { high: 0, medium: 1, low: 2 }

/** A lower number means that more people run the code. A finding without a reach counts as one in the product. */
const FEWER: Record<NonNullable<Finding['reach']>, number> = { product: 0, script: 1, test: 2, fixture: 3, foreign: 4 }

export const SORTS = ['severity', 'newest', 'path'] as const
export type Sort = (typeof SORTS)[number]

/** The number of rows that are drawn at first, and of the further rows that one click shows. */
export const ROWS_STEP = 200

/** How the person filters a realm's findings; "" stands for all. */
export interface FindingsFilter {
  realmId: string
  severity: Severity | ''
  hero: string
  folder: string
  text: string
  sort: Sort
  /**
   * Whether the list has suspected findings too, after the others. null: only if all findings are suspected or
   * withdrawn.
   */
  suspected: boolean | null
  /** Whether withdrawn findings are listed too, after all others. */
  withdrawn: boolean
  /** The number of rows drawn. */
  most: number
  /** The ids of opened findings. */
  open: ReadonlySet<string>
  /** The id of the finding to scroll to; "" after the list has scrolled to it. */
  lead: string
}

export function noFilter(realmId = ''): FindingsFilter {
  return {
    realmId,
    severity: '',
    hero: '',
    folder: '',
    text: '',
    sort: 'severity',
    suspected: null,
    withdrawn: false,
    most: ROWS_STEP,
    open: new Set(),
    lead: '',
  }
}

/** The filter if it belongs to the realm, else an empty filter for the realm. */
export function filterFor(filter: FindingsFilter, realmId: string): FindingsFilter {
  return filter.realmId === realmId ? filter : noFilter(realmId)
}

/**
 * The state of a finding whose truth was questioned; '' for all other findings. This mirrors Finding.State and
 * Finding.Accepted of shared/world.
 */
export type FindingState = '' | 'proved' | 'suspected' | 'accepted' | 'withdrawn'

/** What the reason of a withdrawn finding has if the repository accepts the finding (P7.2). */
const ACCEPTED_IN = ' in .agentdungeon-review: '

export function stateOf(f: Finding): FindingState {
  if (f.withdrawn) return f.withdrawn.includes(ACCEPTED_IN) ? 'accepted' : 'withdrawn'
  if (f.proof) return 'proved'
  return f.confidence === 'low' ? 'suspected' : ''
}

/** Whether a finding counts: it is neither withdrawn nor only suspected. */
export function stands(f: Finding): boolean {
  const state = stateOf(f)
  return state === '' || state === 'proved'
}

/** The findings of a process. Findings of older versions do not name their process and count for each. */
export function ofProcess(findings: readonly Finding[], processId: string): Finding[] {
  return findings.filter((f) => (f.processId || processId) === processId)
}

/** The number of findings that are neither suspected nor withdrawn. */
export function countStanding(findings: readonly Finding[]): number {
  return findings.reduce((n, f) => (stands(f) ? n + 1 : n), 0)
}

/** The number of findings in a state. */
export function countIn(findings: readonly Finding[], state: FindingState): number {
  return findings.reduce((n, f) => (stateOf(f) === state ? n + 1 : n), 0)
}

/** The order in which states are listed. */
const LISTED: Record<FindingState, number> = { '': 0, proved: 0, suspected: 1, accepted: 2, withdrawn: 3 }

/** The pseudo folder of findings in no folder; no path begins with it. */
export const ROOT = '.'

/**
 * The top-level folder of a path. folders: the known folders, which tell whether a path without a slash is a folder.
 */
export function folderOf(path: string, folders: ReadonlySet<string>): string {
  const i = path.indexOf('/')
  if (i > 0) return path.slice(0, i)
  return folders.has(path) ? path : ROOT
}

/** A cache: for each finding, the text in which the filter searches. */
const hay = new WeakMap<Finding, string>()

function hayOf(f: Finding): string {
  let text = hay.get(f)
  if (text === undefined) {
    text = [
      f.title,
      f.line ? `${f.path}:${f.line}` : f.path,
      f.check,
      f.text,
      f.why,
      f.advice,
      f.evidence,
      f.withdrawn,
      f.proof,
      ...(f.cwe ?? []).map((n) => `CWE-${n}`),
      ...(f.steps ?? []).map((s) => `${s.path}:${s.line}`),
    ]
      .join('\n')
      .toLowerCase()
    hay.set(f, text)
  }
  return text
}

/** The criteria by which findings are filtered and ordered. */
export type FilterBy = Pick<
  FindingsFilter,
  'severity' | 'hero' | 'folder' | 'text' | 'sort' | 'suspected' | 'withdrawn'
>

/** Whether c filters by properties of findings other than their state. */
export function isNarrow(c: FindingsFilter): boolean {
  return c.severity !== '' || c.hero !== '' || c.folder !== '' || c.text.trim() !== ''
}

/**
 * The findings that match c, in the order of c.sort. Suspected and withdrawn findings are included only if c says so,
 * and come last.
 */
export function filterFindings(findings: readonly Finding[], c: FilterBy, folders: ReadonlySet<string>): Finding[] {
  const suspected = c.suspected ?? countStanding(findings) === 0
  const needles = c.text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (f: Finding): boolean =>
    (c.severity === '' || f.severity === c.severity) &&
    (c.hero === '' || f.agentId === c.hero) &&
    (c.folder === '' || folderOf(f.path, folders) === c.folder) &&
    (stands(f) || (stateOf(f) === 'suspected' ? suspected : c.withdrawn)) &&
    needles.every((n) => hayOf(f).includes(n))
  const order = ORDER[c.sort]
  return findings
    .map((f, i): Placed => ({ f, i }))
    .filter(({ f }) => fits(f))
    .sort((a, b) => LISTED[stateOf(a.f)] - LISTED[stateOf(b.f)] || order(a, b))
    .map(({ f }) => f)
}

/** A finding and its index in the world. A finding with a higher index is newer. */
interface Placed {
  f: Finding
  i: number
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const newest = (a: Placed, b: Placed): number => compare(b.f.at ?? '', a.f.at ?? '') || b.i - a.i
/** The server's order: by severity, by confidence, by reach, then the file that was committed last. */
const worst = (a: Placed, b: Placed): number =>
  (RANK[a.f.severity] ?? 5) - (RANK[b.f.severity] ?? 5) ||
  DOUBT[a.f.confidence ?? 'medium'] - DOUBT[b.f.confidence ?? 'medium'] ||
  FEWER[a.f.reach ?? 'product'] - FEWER[b.f.reach ?? 'product'] ||
  compare(b.f.changedAt ?? '', a.f.changedAt ?? '')
const byPath = (a: Placed, b: Placed): number => compare(a.f.path, b.f.path) || (a.f.line ?? 0) - (b.f.line ?? 0)

const ORDER: Record<Sort, (a: Placed, b: Placed) => number> = {
  severity: (a, b) => worst(a, b) || byPath(a, b) || a.i - b.i,
  newest,
  path: (a, b) => byPath(a, b) || worst(a, b) || a.i - b.i,
}

/**
 * The number of findings of each severity, worst first, without zeros. Suspected and withdrawn findings are not
 * counted.
 */
export function countBySeverity(findings: readonly Finding[]): [Severity, number][] {
  const counts = new Map<Severity, number>()
  for (const f of findings) if (stands(f)) counts.set(f.severity, (counts.get(f.severity) ?? 0) + 1)
  return WORST_FIRST.flatMap((s): [Severity, number][] => (counts.has(s) ? [[s, counts.get(s) ?? 0]] : []))
}

/** The findings that were merged into another finding, by the other finding's id. */
export function foldedInto(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const out = new Map<string, Finding[]>()
  for (const f of findings) {
    if (!f.withdrawn || !f.into) continue
    const others = out.get(f.into)
    if (others) others.push(f)
    else out.set(f.into, [f])
  }
  return out
}

/**
 * The filter c, changed so that the list shows the finding with this id, opened. It is c itself if there is no such
 * finding.
 */
export function filterShowing(
  findings: readonly Finding[],
  c: FindingsFilter,
  folders: ReadonlySet<string>,
  id: string,
): FindingsFilter {
  const target = findings.find((f) => f.id === id)
  if (!target) return c
  const open = new Set(c.open).add(id)
  const state = stateOf(target)
  const suspected = state === 'suspected' || c.suspected
  const wide = {
    ...c,
    suspected,
    withdrawn: c.withdrawn || state === 'withdrawn' || state === 'accepted',
    open,
    lead: id,
  }
  const place = (filter: FindingsFilter) => filterFindings(findings, filter, folders).indexOf(target)
  const kept = place(wide) >= 0 ? wide : { ...wide, severity: '' as const, hero: '', folder: '', text: '' }
  return { ...kept, most: Math.max(c.most, Math.ceil((place(kept) + 1) / ROWS_STEP) * ROWS_STEP) }
}
