// Which agent a conversation is begun with.
import type { Agent } from '../../state/talks'
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
      <span>{words.chats.dialog.agent}</span>
      <select data-testid="talk-agent" value={chosen} onChange={(e) => onPick(e.currentTarget.value)}>
        {agents.map((a) => (
          <option key={a.id} value={a.id}>
            {a.name}
          </option>
        ))}
      </select>
    </label>
  )
}
