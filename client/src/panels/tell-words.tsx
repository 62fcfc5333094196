// The messages to a coding agent that the person still has to watch, the newest first: those that wait, those that were
// not delivered, and what became of the newest. Older delivered ones stand in the transcript. All stay visible when the
// session is over.
import type { AgentWord, Session } from '../net/protocol.gen'
import { tellWords } from '../words-tell'

/** The number of messages with an outcome that are shown. All messages that wait are shown. */
const OUTCOMES = 3

export function ToldWords({ session }: { session: Session | undefined }) {
  const shown = watched(session?.words ?? [])
  if (shown.length === 0) return null
  return (
    <ul class="tell-words" aria-live="polite">
      {shown.map((w) => (
        <li key={w.wordId} data-testid="tell-word" data-state={w.state ?? 'queued'}>
          <span class="tell-text">{w.text}</span>
          <span class="quiet meta">{tellWords.states[w.state ?? ''] ?? w.state}</span>
        </li>
      ))}
    </ul>
  )
}

function watched(words: readonly AgentWord[]): AgentWord[] {
  const over = words.filter((w) => !waits(w))
  const outcomes = over.filter((w, i) => w.state !== 'delivered' || i === over.length - 1).slice(-OUTCOMES)
  return words.filter((w) => waits(w) || outcomes.includes(w)).reverse()
}

function waits({ state }: AgentWord): boolean {
  return !state || state === 'handed'
}
