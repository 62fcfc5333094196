// The link of an agent's question that opens the session of the agent.
import { doorsWords } from '../words-doors'
import { useApp } from './context'

/** id: the conversation of the session. name: the name of the agent. */
export function SessionLink({ id, name }: { id: string; name: string }) {
  const app = useApp()
  return (
    <button
      type="button"
      class="link meta"
      aria-label={`${doorsWords.session}: ${name}`}
      onClick={() => app.conversations.choose(id)}
    >
      {doorsWords.session}
    </button>
  )
}
