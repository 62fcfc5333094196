// The texts of coding agents that people run in programs of their own: what an agent does, and how that is known.
import type { AgentState } from './net/protocol.gen'
import { isAtFile } from './state/agent-file'
import { actOf, doesOf } from './words-acts'
import { filesWords } from './words-files'
import { moment, plural, span } from './words-format'

const STATES: Record<string, string> = {
  working: 'working',
  shell: 'background shell',
  idle: 'idle',
  ended: 'ended',
  lost: 'disconnected',
}

const WAITS: Record<string, string> = {
  permission: 'permission',
  question: 'question',
  plan: 'plan',
  turn: 'its turn is over',
}

const SOURCES: Record<string, string> = {
  status: 'Its program says so in a status file',
  lock: 'Known from the lock file of its process',
  transcript: 'Known from the end of its transcript',
  hook: 'Its program has reported it',
  guess: 'A guess: its program does not say it',
}

/**
 * What the agent does, for example "runs a command: touch x". host: whether the person at this page is a host.
 * root: the linked folder, whose path is removed from the text.
 */
export function agentWords({ ...s }: AgentState, host: boolean, root = ''): string {
  if (root && s.reason) s.reason = s.reason.replaceAll(`${root}/`, '')
  const guess = s.source === 'guess' ? 'probably ' : ''
  if (s.state === 'waiting') {
    const waits = `${guess}${guess ? 'waiting' : 'waits'} for ${host ? 'you' : 'its user'}`
    return [waits, waitWords(s, host)].filter(Boolean).join(': ')
  }
  const { tool, call } = callIn(s)
  const does = s.state === 'working' && !isAtFile(s) ? doesOf(tool) : ''
  const more = does ? call : moreThanFile(s)
  return [guess + (does || (STATES[s.state] ?? s.state)), more].filter(Boolean).join(': ')
}

/** What the agent waits for; "" for nothing that is known. */
function waitWords(s: AgentState, host: boolean): string {
  // For a person who is not a host, "waits for its user" says enough about an agent whose turn is over.
  const wait = !host && s.wait === 'turn' ? '' : (WAITS[s.wait ?? ''] ?? s.wait)
  const { tool, call } = callIn(s)
  const act = actOf(tool)
  if (act && s.wait === 'permission') return [`${wait} to ${act}`, call].filter(Boolean).join(': ')
  // A question and a plan need no name of their tool.
  return [wait, act ? call : s.reason].filter(Boolean).join(s.wait === 'turn' ? ', ' : ' - ')
}

/** The tool and the call in the reason of a state, such as "Bash" and "touch x". */
function callIn({ reason = '' }: AgentState): { tool: string; call: string } {
  const [tool = '', ...call] = reason.split(': ')
  return { tool, call: call.join(': ') }
}

/** The reason of the state; "" if the reason only names the file, because agentFile says that already. */
function moreThanFile(s: AgentState): string {
  return isAtFile(s) ? '' : (s.reason ?? '')
}

/**
 * The file that the agent reads or edits while that call runs, else the one that it read or edited last; "" for none.
 * worktree: the worktree of the agent, if that is not the linked folder.
 */
export function agentFile(s: AgentState, worktree = ''): string {
  if (!s.path) return ''
  const file = filesWords.at(s.path, worktree)
  if (isAtFile(s)) return `${s.edits ? 'edits' : 'reads'} ${file}`
  return `last ${s.edits ? 'edited' : 'read'} ${file}`
}

/** How long the agent has been in its state, for example "for 3 min"; "" for less than a minute. */
export function agentAge(since: string | null, now: number): string {
  const minutes = Math.floor((now - Date.parse(since ?? '')) / 60_000)
  return minutes >= 1 ? `for ${span(minutes)}` : ''
}

/** That the agent's newest test run failed, and how long ago. */
export function testsFailed(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  return minutes >= 1 ? `tests failed ${span(minutes)} ago` : 'tests failed just now'
}

/** How the state is known, and since when. */
export function agentSource(s: AgentState): string {
  const known = SOURCES[s.source] ?? `Known from: ${s.source}`
  return s.since ? `${known}. Since ${moment(s.since)}.` : `${known}.`
}

export const agentsWords = {
  subs: (parent: string) => `Sub-agents of ${parent}`,
  /** Agents whose work is over, for example "1 disconnected, 2 done". */
  over: (list: readonly { state?: AgentState }[]) => {
    const lost = list.filter((a) => a.state?.state === 'lost').length
    const done = list.length - lost
    return [lost > 0 && `${lost} disconnected`, done > 0 && `${done} done`].filter(Boolean).join(', ')
  },
  announced: (name: string, text: string) => `${name} ${text}`,
  open: 'Open its session',
  /** The number of coding agents in a realm, and how many of them wait for a person; "" for none. */
  here: (n: number, held: number) =>
    n === 0
      ? ''
      : [plural(n, 'coding agent') + ' here', held > 0 ? `${held} ${held === 1 ? 'waits' : 'wait'} for you` : '']
          .filter(Boolean)
          .join(', '),
}
