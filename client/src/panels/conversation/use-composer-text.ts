// The text that is being written in a conversation. The composer edits it; chips in the head can change it too.
import { useApp } from '../context'

/** The text, and a function that changes and stores it. */
export function useComposerText(conversationId: string): [text: string, write: (next: string) => void] {
  const app = useApp()
  const now = app.conversations.composerText.value
  const text = now?.conversationId === conversationId ? now.text : app.drafts.get(`talk.${conversationId}`)
  return [
    text,
    (next) => {
      app.conversations.write(conversationId, next)
      app.drafts.set(`talk.${conversationId}`, next)
    },
  ]
}
