// Filtering and ordering findings, showing one of them, and who may move a quest.
import { describe, expect, it } from 'vitest'
import type { Finding, Quest } from '../net/protocol.gen'
import {
  filterFor,
  folderOf,
  foldedInto,
  noFilter,
  countIn,
  countStanding,
  filterShowing,
  ROWS_STEP,
  ROOT,
  filterFindings,
  countBySeverity,
  type FindingsFilter,
} from './findings'
import { mayMove, movedQuest, openQuests, ownQuest, questCommand, questsIn, VERBS } from './quests'

const finding = (id: string, over: Partial<Finding> = {}): Finding => ({
  id,
  agentId: 'scout',
  severity: 'low',
  title: `title of ${id}`,
  text: '',
  path: '',
  at: '2026-01-02T03:04:05.000Z',
  ...over,
})
const choice = (over: Partial<FindingsFilter> = {}): FindingsFilter => ({ ...noFilter('r1'), ...over })
const FOLDERS = new Set(['docs'])
const ids = (list: readonly { id: string }[]) => list.map((x) => x.id)

const LIST = [
  finding('a', { severity: 'low', path: 'server/x.go', line: 9 }),
  finding('b', { severity: 'critical', path: 'client/y.ts', agentId: 'critic', at: '2026-01-01T00:00:00.000Z' }),
  finding('c', { severity: 'info', path: 'README.md' }),
  finding('d', { severity: 'critical', path: 'server/x.go', line: 2, why: 'It LEAKS a handle.' }),
  finding('e', { severity: 'high', path: 'docs', withdrawn: 'It is meant so.', into: 'd' }),
]

describe('the board of findings', () => {
  it('shows the worst first, of those the first by path, and no withdrawn ones', () => {
    expect(ids(filterFindings(LIST, choice(), FOLDERS))).toEqual(['b', 'd', 'a', 'c'])
    expect(countStanding(LIST)).toBe(4)
    expect(countBySeverity(LIST)).toEqual([
      ['critical', 2],
      ['low', 1],
      ['info', 1],
    ])
  })

  it('shows the most certain of equally severe ones first, and one without a confidence among the medium ones', () => {
    const sure = (id: string, confidence?: Finding['confidence']) =>
      finding(id, { severity: 'high', ...(confidence && { confidence }) })
    const proved = finding('proved', { severity: 'high', confidence: 'low', proof: 'So it is.' })
    const list = [sure('low', 'low'), proved, sure('none'), sure('high', 'high'), sure('medium', 'medium')]
    expect(ids(filterFindings(list, choice(), FOLDERS))).toEqual(['high', 'none', 'medium', 'proved'])
  })

  it('shows suspected ones only where they are wanted, before the withdrawn ones', () => {
    const list = [
      finding('gone', { severity: 'high', withdrawn: 'no', confidence: 'low' }),
      finding('maybe', { severity: 'critical', confidence: 'low', path: 'server/x.go' }),
      finding('sure', { severity: 'low' }),
    ]
    expect(ids(filterFindings(list, choice(), FOLDERS))).toEqual(['sure'])
    expect(ids(filterFindings(list, choice({ suspected: true }), FOLDERS))).toEqual(['sure', 'maybe'])
    expect(ids(filterFindings(list.slice(0, 2), choice(), FOLDERS))).toEqual(['maybe'])
    expect(ids(filterFindings(list.slice(0, 2), choice({ suspected: false }), FOLDERS))).toEqual([])
    const both = choice({ suspected: true, withdrawn: true })
    expect(ids(filterFindings(list, both, FOLDERS))).toEqual(['sure', 'maybe', 'gone'])
    expect([countStanding(list), countIn(list, 'suspected'), countIn(list, 'withdrawn')]).toEqual([1, 1, 1])
    expect(filterShowing(list, choice(), FOLDERS, 'maybe')).toMatchObject({ suspected: true, withdrawn: false })
  })

  it('shows what most people run first, of that what changed last', () => {
    const list = [
      finding('old', { changedAt: '2025-01-01T00:00:00.000Z' }),
      finding('test', { reach: 'test', changedAt: '2026-01-01T00:00:00.000Z' }),
      finding('new', { reach: 'product', changedAt: '2026-01-01T00:00:00.000Z' }),
      finding('script', { reach: 'script' }),
    ]
    expect(ids(filterFindings(list, choice(), FOLDERS))).toEqual(['new', 'old', 'script', 'test'])
  })

  it('finds a weakness by its number and a step by its place', () => {
    const list = [
      finding('a', { cwe: [89], steps: [{ path: 'in.go', line: 7, quote: 'q' }] }),
      finding('b', { cwe: [79] }),
    ]
    expect(ids(filterFindings(list, choice({ text: 'cwe-89' }), FOLDERS))).toEqual(['a'])
    expect(ids(filterFindings(list, choice({ text: 'in.go:7' }), FOLDERS))).toEqual(['a'])
  })

  it('sorts by time and by place', () => {
    expect(ids(filterFindings(LIST, choice({ sort: 'newest' }), FOLDERS))).toEqual(['d', 'c', 'a', 'b'])
    expect(ids(filterFindings(LIST, choice({ sort: 'path' }), FOLDERS))).toEqual(['c', 'b', 'd', 'a'])
  })

  it('filters by severity, hero, folder and words, all at once', () => {
    expect(ids(filterFindings(LIST, choice({ severity: 'critical' }), FOLDERS))).toEqual(['b', 'd'])
    expect(ids(filterFindings(LIST, choice({ hero: 'critic' }), FOLDERS))).toEqual(['b'])
    expect(ids(filterFindings(LIST, choice({ folder: 'server' }), FOLDERS))).toEqual(['d', 'a'])
    expect(ids(filterFindings(LIST, choice({ folder: ROOT }), FOLDERS))).toEqual(['c'])
    expect(ids(filterFindings(LIST, choice({ text: 'leaks TITLE' }), FOLDERS))).toEqual(['d'])
    expect(ids(filterFindings(LIST, choice({ text: 'x.go:9' }), FOLDERS))).toEqual(['a'])
    expect(ids(filterFindings(LIST, choice({ folder: 'server', severity: 'low', text: 'x.go' }), FOLDERS))).toEqual([
      'a',
    ])
    expect(filterFindings(LIST, choice({ folder: 'server', hero: 'critic' }), FOLDERS)).toEqual([])
  })

  it('lists withdrawn ones last where they are wanted', () => {
    expect(ids(filterFindings(LIST, choice({ withdrawn: true }), FOLDERS))).toEqual(['b', 'd', 'a', 'c', 'e'])
    expect(ids(filterFindings(LIST, choice({ withdrawn: true, text: 'meant so' }), FOLDERS))).toEqual(['e'])
  })

  it('knows the folder of a path', () => {
    expect([
      folderOf('a/b/c', FOLDERS),
      folderOf('docs', FOLDERS),
      folderOf('go.mod', FOLDERS),
      folderOf('', FOLDERS),
    ]).toEqual(['a', 'docs', ROOT, ROOT])
  })

  it('leads to a finding through whatever hides it', () => {
    const near = choice({ folder: 'server', sort: 'path' })
    expect(filterShowing(LIST, near, FOLDERS, 'd')).toMatchObject({
      folder: 'server',
      sort: 'path',
      lead: 'd',
      open: new Set(['d']),
      withdrawn: false,
    })
    expect(filterShowing(LIST, near, FOLDERS, 'b')).toMatchObject({ folder: '', sort: 'path', lead: 'b' })
    expect(filterShowing(LIST, near, FOLDERS, 'e')).toMatchObject({ withdrawn: true, lead: 'e' })
    expect(filterShowing(LIST, near, FOLDERS, 'nobody')).toBe(near)
    const many = Array.from({ length: 450 }, (_, i) => finding(`f${i}`))
    expect(filterShowing(many, choice(), FOLDERS, 'f449').most).toBe(3 * ROWS_STEP)
    expect(filterShowing(many, choice(), FOLDERS, 'f0').most).toBe(ROWS_STEP)
  })

  it('tells which findings were folded into which', () => {
    const list = [
      finding('a'),
      finding('b', { withdrawn: 'one cause', into: 'a' }),
      finding('c', { withdrawn: 'gone' }),
      finding('d', { withdrawn: 'one cause', into: 'a' }),
    ]
    const folded = foldedInto(list)
    expect(ids(folded.get('a') ?? [])).toEqual(['b', 'd'])
    expect(folded.size).toBe(1)
  })

  it('forgets a choice of another realm', () => {
    const here = choice({ hero: 'critic' })
    expect(filterFor(here, 'r1')).toBe(here)
    expect(filterFor(here, 'r2')).toEqual(noFilter('r2'))
  })

  it('reads the text of a finding once, however often one types', () => {
    let reads = 0
    const many = Array.from({ length: 1000 }, (_, i) => ({
      ...finding(`f${i}`, { path: `d${i % 50}/f${i}.go` }),
      get why() {
        reads++
        return 'w'.repeat(500)
      },
    }))
    for (const text of ['f', 'f9', 'f99']) filterFindings(many, choice({ text }), FOLDERS)
    expect(reads).toBe(many.length)
  })
})

describe('the quest log', () => {
  const quest = (id: string, over: Partial<Quest> = {}): Quest => ({
    id,
    title: `title of ${id}`,
    status: 'open',
    priority: 'low',
    ...over,
  })

  it('offers what the server would take', () => {
    const may = (q: Quest, me: string | null = 'p1') => VERBS.filter((v) => mayMove(q, v, me))
    expect(may(quest('q'))).toEqual(['take'])
    expect(may(quest('q'), null)).toEqual(['take']) // the page asks for the name that the server wants
    expect(may(quest('q', { status: 'assigned', spectatorId: 'p1' }), null)).toEqual([])
    expect(may(quest('q', { status: 'assigned', spectatorId: 'p1' }))).toEqual(['start', 'drop'])
    expect(may(quest('q', { status: 'in_progress', spectatorId: 'p1' }))).toEqual(['stop', 'done'])
    expect(may(quest('q', { status: 'done', spectatorId: 'p1' }))).toEqual([])
    expect(may(quest('q', { status: 'assigned', spectatorId: 'p2' }))).toEqual([])
    expect(may(quest('q', { status: 'in_progress', spectatorId: 'p2' }))).toEqual([])
    expect(ownQuest(quest('q', { status: 'assigned' }), null)).toBe(false)
  })

  it('puts one’s own first, then what is urgent', () => {
    const list = [
      quest('a', { status: 'assigned', spectatorId: 'p2', priority: 'medium' }),
      quest('b', { status: 'assigned', spectatorId: 'p2', priority: 'high' }),
      quest('c', { status: 'assigned', spectatorId: 'p1' }),
      quest('d'),
    ]
    expect(ids(questsIn(list, 'assigned', 'p1'))).toEqual(['c', 'b', 'a'])
    expect(openQuests(list)).toBe(1)
  })

  it('of one priority are put in the order of the severity of their findings', () => {
    const list = [
      quest('none', { priority: 'high' }),
      quest('high', { priority: 'high', findingId: 'f1' }),
      quest('critical', { priority: 'high', findingId: 'f2' }),
      quest('medium', { priority: 'medium', findingId: 'f2' }),
    ]
    const findings = [finding('f1', { severity: 'high' }), finding('f2', { severity: 'critical' })]
    const order = questsIn(list, 'open', null, new Map(findings.map((f) => [f.id, f])))
    expect(ids(order)).toEqual(['critical', 'high', 'none', 'medium'])
  })

  it('knows its commands', () => {
    expect(questCommand('take', 'q1')).toBe('/quest take q1')
    expect([
      movedQuest('/quest take q1'),
      movedQuest('/quest  drop  q1 '),
      movedQuest('/quest take'),
      movedQuest('/pause'),
    ]).toEqual(['q1', 'q1', '', ''])
  })
})
