// Sends a person's answer to an agent's question, and says what became of it.
import type { AgentDoor } from '../net/protocol.gen'
import { useApp } from './context'

interface DoorAnswer {
  /** Whether an answer is on its way. */
  busy: boolean
  /** Why the server has refused the last answer; null if it has not. */
  refused: string | null
  answer: (choice: string, answers?: string[]) => void
}

export function useDoorAnswer({ doorId }: AgentDoor): DoorAnswer {
  const app = useApp()
  const sent = app.pending.value.findLast((p) => p.frame.type === 'door:answer' && p.frame.doorId === doorId)
  const refused = sent?.status === 'refused'
  return {
    busy: sent !== undefined && !refused,
    refused: refused ? (sent.error?.message ?? '') : null,
    answer: (choice, answers) => {
      if (sent) app.discard(sent.requestId)
      app.send({ type: 'door:answer', doorId, choice, ...(answers ? { answers } : {}) })
    },
  }
}
