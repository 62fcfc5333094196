// Whether a coding agent reads or edits a file now. Pure.
import type { AgentState } from '../net/protocol.gen'

/**
 * Whether the call that runs now names the file of the state. Mirrors AtFile of shared/world. A command with other
 * words does not count.
 */
export function isAtFile({ state, reason, path }: AgentState): boolean {
  const of = reason?.split(': ')[1]
  return state === 'working' && !!path && !!of && !of.includes(' ') && of.split('/').at(-1) === path.split('/').at(-1)
}
