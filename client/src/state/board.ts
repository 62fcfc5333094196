// What the boards of findings and quests show, from what there is and what the
// reader chose. Pure: 10,000 findings are sifted at each letter that is typed.
import type { Finding, Quest } from '../net/protocol.gen'

export type Severity = Finding['severity']
export const WORST_FIRST = ['critical', 'high', 'medium', 'low', 'info'] as const satisfies readonly Severity[]
const RANK: Record<Severity, number> = { critical: 0, high: 1, medium: 2, low: 3, info: 4 }

export const SORTS = ['severity', 'newest', 'path'] as const
export type Sort = (typeof SORTS)[number]

/** Findings that are drawn at once, and how many more a request brings. */
export const MOST_ROWS = 200

/** What a reader chose of a realm's findings; "" is everything. */
export interface Choice {
  realmId: string
  severity: Severity | ''
  hero: string
  folder: string
  text: string
  sort: Sort
  /** Withdrawn ones are listed too, after the others. */
  withdrawn: boolean
  /** Rows drawn. */
  most: number
  /** Findings that are read whole. */
  open: ReadonlySet<string>
  /** The finding that the reader was led to and that has not been shown yet. */
  lead: string
}

export function freshChoice(realmId = ''): Choice {
  return {
    realmId,
    severity: '',
    hero: '',
    folder: '',
    text: '',
    sort: 'severity',
    withdrawn: false,
    most: MOST_ROWS,
    open: new Set(),
    lead: '',
  }
}

/** A choice of another realm says nothing about this one. */
export function choiceFor(choice: Choice, realmId: string): Choice {
  return choice.realmId === realmId ? choice : freshChoice(realmId)
}

function holds(f: Finding): boolean {
  return !f.withdrawn
}

/** How many findings count: those that were not withdrawn. */
export function holding(findings: readonly Finding[]): number {
  return findings.reduce((n, f) => (holds(f) ? n + 1 : n), 0)
}

/** Stands for what lies in no folder; no path begins with it. */
export const ROOT = '.'

/** The top-level folder in which a path lies. folders: those that are known, for a path that is one itself. */
export function folderOf(path: string, folders: ReadonlySet<string>): string {
  const i = path.indexOf('/')
  if (i > 0) return path.slice(0, i)
  return folders.has(path) ? path : ROOT
}

/** The words of a finding in which is searched, made once. */
const hay = new WeakMap<Finding, string>()

function hayOf(f: Finding): string {
  let text = hay.get(f)
  if (text === undefined) {
    text = [f.title, f.line ? `${f.path}:${f.line}` : f.path, f.check, f.text, f.why, f.advice, f.evidence, f.withdrawn]
      .join('\n')
      .toLowerCase()
    hay.set(f, text)
  }
  return text
}

/** By what findings are sifted and ordered. */
export type By = Pick<Choice, 'severity' | 'hero' | 'folder' | 'text' | 'sort' | 'withdrawn'>

/** The findings that fit, in the order chosen; withdrawn ones only where they are wanted, and last. */
export function sift(findings: readonly Finding[], c: By, folders: ReadonlySet<string>): Finding[] {
  const needles = c.text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (f: Finding): boolean =>
    (c.severity === '' || f.severity === c.severity) &&
    (c.hero === '' || f.agentId === c.hero) &&
    (c.folder === '' || folderOf(f.path, folders) === c.folder) &&
    (c.withdrawn || holds(f)) &&
    needles.every((n) => hayOf(f).includes(n))
  const order = ORDER[c.sort]
  return findings
    .map((f, i): Placed => ({ f, i }))
    .filter(({ f }) => fits(f))
    .sort((a, b) => Number(holds(b.f)) - Number(holds(a.f)) || order(a, b))
    .map(({ f }) => f)
}

/** A finding and where it stands in the world: later ones are newer. */
interface Placed {
  f: Finding
  i: number
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const newest = (a: Placed, b: Placed): number => compare(b.f.at ?? '', a.f.at ?? '') || b.i - a.i
const worst = (a: Placed, b: Placed): number => (RANK[a.f.severity] ?? 5) - (RANK[b.f.severity] ?? 5)

const ORDER: Record<Sort, (a: Placed, b: Placed) => number> = {
  severity: (a, b) => worst(a, b) || newest(a, b),
  newest,
  path: (a, b) => compare(a.f.path, b.f.path) || (a.f.line ?? 0) - (b.f.line ?? 0) || worst(a, b) || newest(a, b),
}

/** How many of each severity hold, the worst first; none where there are none. */
export function tally(findings: readonly Finding[]): [Severity, number][] {
  const counts = new Map<Severity, number>()
  for (const f of findings) if (holds(f)) counts.set(f.severity, (counts.get(f.severity) ?? 0) + 1)
  return WORST_FIRST.flatMap((s): [Severity, number][] => (counts.has(s) ? [[s, counts.get(s) ?? 0]] : []))
}

/** By id, the findings that were folded into it, as they came. */
export function foldedInto(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const out = new Map<string, Finding[]>()
  for (const f of findings) {
    if (holds(f) || !f.into) continue
    const others = out.get(f.into)
    if (others) others.push(f)
    else out.set(f.into, [f])
  }
  return out
}

/** The choice with which a finding is open and in sight; the same choice where there is no such finding. */
export function leadTo(findings: readonly Finding[], c: Choice, folders: ReadonlySet<string>, id: string): Choice {
  const target = findings.find((f) => f.id === id)
  if (!target) return c
  const open = new Set(c.open).add(id)
  const wide = { ...c, withdrawn: c.withdrawn || !holds(target), open, lead: id }
  const place = (choice: Choice) => sift(findings, choice, folders).indexOf(target)
  const kept = place(wide) >= 0 ? wide : { ...wide, severity: '' as const, hero: '', folder: '', text: '' }
  return { ...kept, most: Math.max(c.most, Math.ceil((place(kept) + 1) / MOST_ROWS) * MOST_ROWS) }
}

export const VERBS = ['take', 'start', 'stop', 'drop', 'done'] as const
export type Verb = (typeof VERBS)[number]

const FROM: Record<Verb, Quest['status']> = {
  take: 'open',
  start: 'assigned',
  drop: 'assigned',
  stop: 'in_progress',
  done: 'in_progress',
}

export function ownQuest(q: Quest, me: string | null): boolean {
  return me !== null && q.status !== 'open' && q.spectatorId === me
}

/** Whether the person may do that to the quest now; the server judges by the same rule. */
export function mayMove(q: Quest, verb: Verb, me: string | null): boolean {
  return me !== null && q.status === FROM[verb] && (verb === 'take' || ownQuest(q, me))
}

export const QUEST_GROUPS = ['open', 'assigned', 'in_progress', 'done'] as const satisfies readonly Quest['status'][]
const URGENT: Record<Quest['priority'], number> = { high: 0, medium: 1, low: 2 }

/** The quests of a state: one's own first, then by priority, then as they came. */
export function questsIn(quests: readonly Quest[], status: Quest['status'], me: string | null): Quest[] {
  return quests
    .filter((q) => q.status === status)
    .sort(
      (a, b) =>
        Number(ownQuest(b, me)) - Number(ownQuest(a, me)) || (URGENT[a.priority] ?? 3) - (URGENT[b.priority] ?? 3),
    )
}

export function openQuests(quests: readonly Quest[]): number {
  return quests.reduce((n, q) => (q.status === 'open' ? n + 1 : n), 0)
}

/** What is typed to move a quest. */
export function questCommand(verb: Verb, id: string): string {
  return `/quest ${verb} ${id}`
}

/** The quest that a typed command moves, "" for any other. */
export function movedQuest(text: string): string {
  return /^\/quest\s+\S+\s+(\S+)\s*$/.exec(text)?.[1] ?? ''
}
