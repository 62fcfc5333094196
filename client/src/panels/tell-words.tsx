// What became of the words that were said to a coding agent, the newest first, also when its session is over.
import type { Session } from '../net/protocol.gen'
import { tellWords } from '../words-tell'

/** The number of the newest words whose state is shown. */
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
