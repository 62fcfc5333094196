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

/** The fields of a tool's input that describe a call best, the most telling first. */
const TELLING = ['command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt']

/** Returns a short text for a tool call: the first of the TELLING fields that the JSON input has, else the input. */
export function briefOf(input: string): string {
  if (!input.startsWith('{')) return input
  try {
    const fields = JSON.parse(input) as Record<string, unknown>
    for (const name of TELLING) {
      const value = fields[name]
      if (typeof value === 'string' && value.trim() !== '') return value
      if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value.join(' ')
    }
    return Object.keys(fields).length === 0 ? '' : input
  } catch {
    return input // the server has cut the JSON off, so it cannot be parsed
  }
}
