// Selectors for sessions of coding agents. Pure.
import type { AgentState, Conversation } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { codingWords } from './words'

/** The names of programs as people know them, by team id. */
const PROGRAMS: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  gemini: 'Gemini CLI',
}

/** The program in which the session runs. */
export function programOf(c: Conversation): string {
  return PROGRAMS[c.team.id] ?? (c.team.id || codingWords.anywhere)
}

/** The name of the session's agent; "" if that is the title, too. */
export function agentOf(c: Conversation): string {
  const name = c.team.members[0]?.displayName ?? programOf(c)
  return name === c.title ? '' : name
}

/** Whether the session's program is still running, as far as the server knows. */
export function isLive(c: { status: Conversation['status'] }): boolean {
  return c.status === 'active'
}

/** The state of the session's agent; null if the map does not have the agent. */
export function stateOf(r: RealmModel | null, c: Conversation): AgentState | null {
  const id = c.team.members[0]?.id
  return r?.world.agents.find((a) => a.id === id)?.state ?? null
}
