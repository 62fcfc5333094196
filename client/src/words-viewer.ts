// The texts of an open file, of addresses, and of what one can do with a finding.
import type { FileText } from './net/protocol.gen'
import { bytes, moment } from './words-format'

const count = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`

export const viewerWords = {
  label: (path: string) => `File ${path}`,
  open: 'Open',
  openFile: (path: string) => `Open ${path}`,
  close: 'Close the file',
  loading: 'The file is being read …',
  failed: 'The file cannot be opened',
  again: 'Try again',
  nowhere: 'This address leads to no realm that you can see here.',
  noCode: 'The part of the page that shows files could not be loaded.',
  text: (path: string) => `Text of ${path}`,
  find: 'Find',
  changes: 'Changes',
  changesHint: 'Show what differs from the last commit',
  changesNone: 'Only masked secrets differ from the last commit.',
  about: 'History',
  aboutHint: 'Who read and changed this file',
  copyLink: 'Copy link',
  room: 'Show on the map',
  binary: (size: number) => `This file is not text (${bytes(size)}), so it is not shown.`,
  empty: 'This file is empty.',
  notUtf8: 'Some bytes of this file are not UTF-8; they are shown as \uFFFD.',
  masked: (n: number) => `${count(n, 'line has', 'lines have')} a secret, which is masked here.`,
  facts: (f: FileText) =>
    [
      f.language,
      f.binary ? '' : count(f.lines, 'line', 'lines'),
      bytes(f.size),
      f.test && 'test',
      f.vendored && 'third party',
    ]
      .filter(Boolean)
      .join(' · '),
  head: {
    same: 'as in the last commit',
    differs: 'differs from the last commit',
    absent: 'not in the last commit',
    unknown: 'the last commit’s version cannot be shown',
  } as Readonly<Record<string, string>>,
  findings: (n: number) => count(n, 'finding', 'findings'),
  whole: 'Findings about the whole file',
  next: 'Next finding',
  previous: 'Previous finding',
  past: {
    title: 'History of this file',
    loading: 'The history is being read …',
    failed: 'The history cannot be read.',
    none: 'No commit has this file.',
    commits: 'Commits',
    more: 'Older commits are not listed.',
    authors: 'Authors of the lines',
    lines: (n: number) => count(n, 'line', 'lines'),
    open: (n: number) => `${count(n, 'line is', 'lines are')} not committed or without a known author.`,
    by: (name: string, at: string) => `${name}, ${moment(at)}`,
    here: 'Looking at this file now',
    found: 'Findings by',
  },
  editor: {
    label: 'Editor',
    choose: 'Open in …',
    open: (name: string) => `Open in ${name}`,
  },
  act: {
    title: 'What to do with this finding',
    copyLink: 'Copy link',
    copyMarkdown: 'Copy as Markdown',
    quest: 'Make it a quest',
    quested: 'It is a quest.',
    agent: 'Give to an agent …',
    given: (name: string) => `Given to ${name}.`,
  },
  accept: {
    reason: 'Reason',
    write: 'Write this line',
    writeHint: 'Adds this line to .agentdungeon-review at the top of the linked folder',
    written: (file: string) => `Written to ${file}. The next review leaves this finding out.`,
    known: (file: string) => `${file} has this line already.`,
    failed: 'The line was not written',
  },
}
