// The select of the agent to start a conversation with.
import type { Agent } from '../../state/conversations'
import { words } from '../../words'

export function AgentPick({
  agents,
  chosen,
  onPick,
}: {
  agents: readonly Agent[]
  chosen: string
  onPick: (id: string) => void
}) {
  return (
    <label>
      <span>{words.conversation.dialog.agent}</span>
      <select data-testid="talk-agent" value={chosen} onChange={(e) => onPick(e.currentTarget.value)}>
        {agents.map((a) => (
          <option key={a.id} value={a.id}>
            {a.side ? words.conversation.dialog.agentFor(a.name, a.side) : a.name}
          </option>
        ))}
      </select>
    </label>
  )
}
