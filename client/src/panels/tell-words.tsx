// The state of the newest messages to a coding agent, the newest first. They stay visible when the session is over.
import type { Session } from '../net/protocol.gen'
import { tellWords } from '../words-tell'

/** The number of messages to the agent that are shown. */
const SHOWN = 3

export function ToldWords({ session }: { session: Session | undefined }) {
  if (!session?.words?.length) return null
  return (
    <ul class="tell-words" aria-live="polite">
      {session.words
        .slice(-SHOWN)
        .reverse()
        .map((w) => (
          <li key={w.wordId} data-testid="tell-word" data-state={w.state ?? 'queued'}>
            <span class="tell-text">{w.text}</span>
            <span class="quiet meta">{tellWords.states[w.state ?? ''] ?? w.state}</span>
          </li>
        ))}
    </ul>
  )
}
