// The texts of findings and quests, part of words.ts.
import type { readLanguages, UnknownLanguage } from './state/coverage'
import { count, plural } from './words-format'

/** What a line of .agentdungeon-review covers. */
function covers(path: string, places: number): string {
  if (places === 0) return `The next review leaves the finding out${path ? ', in this file only.' : '.'}`
  const what = places === 1 ? 'this finding alone' : `${count(places)} places of this finding in ${path}`
  return `It covers ${what}: another finding with this title, or this one after its code has changed, is reported.`
}

export const findingWords = {
  title: 'Findings',
  empty: 'No findings yet.',
  emptyNext: 'A code review posts them here as it reads.',
  /** The texts in place of `emptyNext` before, in and after the stage of a process in which findings come. */
  emptyBefore: (stage: string, n: number) => `They come in stage ${n}, ${stage}. Until then the agents read.`,
  emptyNow: 'The agents are looking for them now. Each one appears here at once.',
  emptyAfter: (stage: string) => `${stage} has ended without one.`,
  /** The text in place of `empty` after a review without findings. */
  proved: 'The review found nothing that it could prove.',
  provedNext: 'What it read, and what not, is in its report.',
  severity: { info: 'info', low: 'low', medium: 'medium', high: 'high', critical: 'critical' },
  /** The text of a severity where a confidence stands beside it. */
  severe: (severity: string) => `${severity} severity`,
  confidence: { low: 'low confidence', medium: 'medium confidence', high: 'high confidence' },
  state: { suspected: 'suspected', proved: 'proved', accepted: 'accepted', withdrawn: 'withdrawn' },
  whole: 'the whole repository',
  root: 'not in a folder',
  by: (name: string) => `found by ${name}`,
  none: 'No finding matches the filter.',
  noneStands: 'No finding is proved.',
  choice: 'Filter findings',
  showAll: 'Show all',
  bySeverity: 'Severity',
  anySeverity: 'Severity',
  byHero: 'Found by',
  anyHero: 'Hero',
  byFolder: 'Folder',
  anyFolder: 'Folder',
  byText: 'Search findings',
  textHint: 'Search',
  sort: 'Sort',
  sorts: { severity: 'Worst first', newest: 'Newest first', path: 'By path' },
  summary: (shown: number, all: number) =>
    shown === all ? plural(all, 'finding') : `${count(shown)} of ${plural(all, 'finding')}`,
  onlySuspected: (shown: number, all: number) =>
    shown === all
      ? `Nothing proved. ${count(all)} suspected:`
      : `Nothing proved. ${count(shown)} of ${count(all)} suspected`,
  suspected: (n: number) => `${count(n)} suspected`,
  part: { suspected: 'Suspected, not proved', accepted: 'Accepted', withdrawn: 'Withdrawn' },
  withdrawn: (n: number) => `${count(n)} withdrawn`,
  acceptedCount: (n: number) => `${count(n)} accepted`,
  reason: (reason: string, accepted: boolean) => `${accepted ? 'Accepted' : 'Withdrawn'}: ${reason}`,
  into: (finding: string) => `See instead: ${finding}`,
  also: (n: number) => (n === 1 ? 'Merged with another finding' : `Merged with ${count(n)} other findings`),
  alsoMore: (n: number) => `and ${count(n)} more`,
  check: 'Check',
  evidence: 'Evidence',
  steps: 'From source to sink',
  patch: 'Patch',
  copyPatch: 'Copy the patch',
  accept: 'To accept this finding',
  accepted: 'Accepted',
  /** places: how many places the line names; 0 for a line of an earlier version, which names the title alone. */
  acceptHow: (path: string, places: number) =>
    `Add this line to .agentdungeon-review and replace REASON. ${covers(path, places)}`,
  copyAccept: 'Copy the line',
  reach: {
    script: 'in a script or an example',
    test: 'in tests',
    fixture: 'in test data',
    foreign: 'in third-party or generated code',
  },
  why: 'Why it matters',
  advice: 'What to do',
  proof: 'Proof',
  go: (place: string) => `Show ${place} on the map`,
  more: (n: number, rest: number) => `Show ${count(n)} more of ${count(rest)}`,
}

export const coverageWords = {
  title: 'What the review has read',
  /** A language that was not read is named with its size, so that a small one does not look like a large gap. */
  line: ({ all, lines, unknown }: ReturnType<typeof readLanguages>) => {
    if (all === 0) return 'No source code found'
    const known = all - unknown.length
    if (unknown.length === 0) return `${count(known)} of ${plural(all, 'language')} read`
    const counted = lines > 0 && unknown.every((l) => l.lines > 0)
    const missing = unknown.reduce((n, l) => n + l.lines, 0)
    const size = (l: UnknownLanguage) => (l.lines > 0 ? plural(l.lines, 'line') : plural(l.files, 'file'))
    const read = counted
      ? `${count(Math.floor((100 * (lines - missing)) / lines))} % of the lines of code read`
      : `${count(known)} of ${plural(all, 'language')} read`
    return `${read}; not ${unknown.map((l) => `${l.language} (${size(l)})`).join(', ')}`
  },
  language: 'Files',
  how: { parsed: 'As syntax', matched: 'As text', unread: 'Not read', foreign: 'Third-party' },
  lines: (n: number) => plural(n, 'line'),
  others: 'Other files',
  unknown: 'No check covers this language, or none of its files was read. Nothing is known about this code.',
  kinds: (n: number) => `Checked for ${plural(n, 'kind')} of problems`,
  general: (kinds: readonly string[]) => `In all files that were read: ${kinds.join(', ')}`,
}

export const questWords = {
  title: 'Quests',
  /** The texts where there are no quests: before a review, after one with findings, after one without. */
  none: {
    unreviewed: {
      text: 'No quests yet.',
      next: 'A code review turns what has to be done into quests, and a host can make one of each finding.',
    },
    mild: {
      text: 'The review made no quests.',
      next: 'It makes them of proved findings that are high or critical. A host can make one of any finding.',
    },
    clean: {
      text: 'The review found nothing to make quests of.',
      next: 'Its report says what it read, and what not. A host can make a quest of a finding of a later review.',
    },
  },
  toFindings: 'Show the findings',
  groups: { open: 'Open', assigned: 'Taken', in_progress: 'In progress', done: 'Done' },
  priority: { low: 'low priority', medium: 'medium priority', high: 'high priority' },
  open: (n: number) => `${count(n)} open`,
  owner: {
    open: (name: string) => name,
    assigned: (name: string) => `taken by ${name}`,
    in_progress: (name: string) => `${name} is working on it`,
    done: (name: string) => `done by ${name}`,
  },
  yours: { open: 'yours', assigned: 'taken by you', in_progress: 'you are working on it', done: 'done by you' },
  finding: 'Read the finding',
  settled: (reason: string) => `Its finding was withdrawn: ${reason}`,
  verbs: { take: 'Take', start: 'Start', stop: 'Stop', drop: 'Drop', done: 'Done' },
  hints: {
    take: 'assign it to yourself',
    start: 'mark it as in progress',
    stop: 'stop working on it, and keep it',
    drop: 'give it back for somebody else to take',
    done: 'mark it as done; this is final',
  },
  refused: (message: string) => `Not changed: ${message}`,
}
