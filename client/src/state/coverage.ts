// The coverage of the newest review, as table rows. Pure.
import type { Artifact, Coverage, Covered, World } from '../net/protocol.gen'

/** The coverage of the newest review; null if no review has one. */
export function coverageOf(artifacts: readonly Artifact[]): Coverage | null {
  return artifacts.findLast((a) => a.coverage)?.coverage ?? null
}

/** The number of the project's own files in a language: neither third-party nor generated. */
export function ownFiles(l: Covered): number {
  return l.parsed.files + l.matched.files + l.unread.files
}

/** The kinds of problems that checks look for in a language. */
export function kindsIn(l: Covered): string[] {
  return [...l.trees, ...l.texts]
}

/**
 * Whether the review knows nothing about the programs in a language: no check supports the language, or none of its
 * files was read.
 */
export function isUnknown(l: Covered): boolean {
  const own = ownFiles(l)
  return l.code && own > 0 && (kindsIn(l).length === 0 || own === l.unread.files)
}

/** A language about which nothing is known, with its code: lines is 0 if none of its files was read. */
export interface UnknownLanguage {
  language: string
  files: number
  lines: number
}

/** The programming languages of the project: their number, their lines, and those about which nothing is known. */
export function readLanguages(c: Coverage): { all: number; lines: number; unknown: UnknownLanguage[] } {
  const own = c.languages.filter((l) => l.code && ownFiles(l) > 0)
  const lines = (l: Covered) => (l.parsed.lines ?? 0) + (l.matched.lines ?? 0)
  return {
    all: own.length,
    lines: own.reduce((n, l) => n + lines(l), 0),
    unknown: own.filter(isUnknown).map((l) => ({ language: l.language, files: ownFiles(l), lines: lines(l) })),
  }
}

/** The languages that have a row of their own, followed by a row with the language "" for all other files. */
export function coverageRows(c: Coverage): Covered[] {
  const own: Covered[] = []
  const none = { files: 0, lines: 0 }
  const rest: Covered = {
    language: '',
    code: false,
    parsed: none,
    matched: none,
    unread: none,
    foreign: none,
    trees: [],
    texts: [],
  }
  for (const l of c.languages) {
    if (ownFiles(l) > 0 && (l.code || kindsIn(l).length > 0)) own.push(l)
    else for (const how of HOW) rest[how] = sum(rest[how], l[how])
  }
  return ownFiles(rest) + rest.foreign.files > 0 ? [...own, rest] : own
}

/** The columns of the coverage table: the ways in which files were read, and the reasons why others were not. */
export const HOW = ['parsed', 'matched', 'unread', 'foreign'] as const

type Count = Covered['parsed']

function sum(a: Count, b: Count): Count {
  return { files: a.files + b.files, lines: (a.lines ?? 0) + (b.lines ?? 0) }
}

/** Whether a review has ended: it has said what it read, and nothing is under way. */
export function hasReviewed({ artifacts, processState: { status } }: World): boolean {
  return coverageOf(artifacts) !== null && status === 'completed'
}
