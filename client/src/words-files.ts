// The texts about coding agents and files: who has touched a file, and which agents collide.
import type { FileTouch } from './net/protocol.gen'
import { span } from './words-format'

/** A number of times as words. */
function times(n: number): string {
  return n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`
}

/** How long ago something was, for example "3 min ago". */
function ago(at: string | null, now: number): string {
  const minutes = Math.floor((now - Date.parse(at ?? '')) / 60_000)
  return minutes >= 1 ? `${span(minutes)} ago` : 'just now'
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

export const filesWords = {
  collisions: (n: number) =>
    n === 1 ? 'Agents are in each other’s way' : `Agents are in each other’s way at ${n} files`,
  /** The text of a warning, up to the file's name. */
  edit: (names: readonly string[]) => `${listed(names)} edit the same file:`,
  /** Of agents that are not at work any more. */
  edited: (names: readonly string[]) => `${listed(names)} have edited the same file:`,
  stale: (editor: string, readers: readonly string[]) =>
    `${editor} edited a file that ${listed(readers)} had read before:`,
  show: 'Show',
  hide: 'Hide this warning',
  more: (n: number) => `${n} more`,
  below: (n: number) =>
    n === 1 ? 'Agents are in each other’s way at a file here' : `Agents are in each other’s way at ${n} files here`,
  here: 'Agents are in each other’s way at this file',
  touched: 'Agents at this file',
  agents: (n: number) => (n === 1 ? '1 agent' : `${n} agents`),
  /** What an agent has done with a file in one run of touches. */
  did: ({ edits = 0, reads = 0 }: FileTouch) =>
    [edits > 0 && `edited ${times(edits)}`, reads > 0 && `read ${times(reads)}`].filter(Boolean).join(', '),
  when: (t: FileTouch, now: number) => ago(t.last, now),
  worktree: (name: string) => `in worktree ${name}`,
  /** An agent or its file, with the worktree if that is not the linked folder. */
  at: (what: string, worktree: string) => (worktree ? `${what} (in worktree ${worktree})` : what),
}
