// Which tool calls have started a sub-agent that still works. Pure.
import type { AgentState, Message, World } from '../net/protocol.gen'

/** The tools that start a sub-agent and can return before it is done. */
const STARTS = /(^|\.)(Agent|Task|spawn_agent)$/

/**
 * Whether the call of a row has started a sub-agent that still works. The call itself is done: its output is the
 * sub-agent's id.
 */
export function hasStarted(w: World, { status, tool, content, memberId }: Message): boolean {
  if (status !== 'done' || !tool || !STARTS.test(tool.name)) return false
  return !!w.sessions?.some(
    (s) =>
      s.parent === memberId &&
      content.includes(ownId(s.sessionId)) &&
      isAtWork(w.agents.find((a) => a.id === s.agentId)?.state),
  )
}

/** The id by which its parent knows a sub-agent. The one of Claude Code stands behind the id of the main session. */
function ownId(sessionId: string): string {
  return sessionId.slice(sessionId.indexOf('/') + 1).replace(/^agent-/, '')
}

/** Whether an agent has not come to the end of its work. */
export function isAtWork(state: AgentState | undefined): boolean {
  if (state?.state === 'waiting') return state.wait !== 'turn'
  return state?.state === 'working' || state?.state === 'shell'
}
