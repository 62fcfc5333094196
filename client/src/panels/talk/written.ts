// What is being written in a conversation. The place to write holds it; a head may
// mark it, and writes into it who is taken back.
import { useApp } from '../context'

/** The words, and how they are changed: at once, and kept for the next visit. */
export function useWritten(conversationId: string): [text: string, write: (next: string) => void] {
  const app = useApp()
  const now = app.talks.written.value
  const text = now?.conversationId === conversationId ? now.text : app.drafts.get(`talk.${conversationId}`)
  return [
    text,
    (next) => {
      app.talks.written.value = { conversationId, text: next }
      app.drafts.set(`talk.${conversationId}`, next)
    },
  ]
}
