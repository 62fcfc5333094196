// The messages to a coding agent that the person still has to watch, the newest first: those that wait, those that were
// not delivered, and for a while what became of the newest. Delivered ones stand in the transcript. The others stay
// visible when the session is over. Requests to stop are shown by stop-agent.tsx.
import type { AgentWord, Session } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { tellWords } from '../words-tell'
import { useAfter } from './use-after'
import { useSelect } from './use-select'

/** The number of messages with an outcome that are shown. All messages that wait are shown. */
const OUTCOMES = 3

/** How long the newest message is shown as delivered, in milliseconds. Then the transcript says enough. */
const NEWS = 30_000

/** The programs whose hooks take messages only when a turn ends. Others wake an agent that does nothing. */
const AT_STOPS: ReadonlySet<string> = new Set(['codex'])

export function ToldWords({ realm, session }: { realm: RealmModel; session: Session | undefined }) {
  const words = session?.words?.filter((w) => !w.stop) ?? []
  const old = useAfter(NEWS, words.findLast((w) => w.state === 'delivered')?.wordId)
  const shown = watched(old ? words.filter((w) => w.state !== 'delivered') : words)
  const idle = useSelect(() => (session ? idleWords(realm, session) : ''), [realm, session])
  if (shown.length === 0) return null
  return (
    <ul class="tell-words" aria-live="polite">
      {shown.map((w) => (
        <li key={w.wordId} data-testid="tell-word" data-state={w.state ?? 'queued'}>
          <span class="tell-text">{w.text}</span>
          <span class="quiet meta">{(!w.state && idle) || (tellWords.states[w.state ?? ''] ?? w.state)}</span>
        </li>
      ))}
    </ul>
  )
}

/** What a queued message waits for while its agent does nothing; "" for an agent at work, or one that it wakes. */
function idleWords(realm: RealmModel, { program, agentId }: Session): string {
  const state = realm.world.agents.find((a) => a.id === agentId)?.state
  const rests = state?.state === 'idle' || (state?.state === 'waiting' && state.wait === 'turn')
  return rests && AT_STOPS.has(program) ? tellWords.idle(nameOf(realm, agentId)) : ''
}

function watched(words: readonly AgentWord[]): AgentWord[] {
  const over = words.filter((w) => !waits(w))
  const outcomes = over.filter((w, i) => w.state !== 'delivered' || i === over.length - 1).slice(-OUTCOMES)
  return words.filter((w) => waits(w) || outcomes.includes(w)).reverse()
}

function waits({ state }: AgentWord): boolean {
  return !state || state === 'handed'
}
