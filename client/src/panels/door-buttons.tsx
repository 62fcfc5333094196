// The buttons that answer an agent's question, or the reason why it cannot be answered here.
import type { AgentDoor } from '../net/protocol.gen'
import { isGuest } from '../state/select'
import { doorsWords } from '../words-doors'
import { useApp } from './context'

/**
 * The maximum length in characters of the question in a button's accessible name. The whole question is shown
 * beside the button.
 */
const NAMED = 80

/** A question that can be answered here for at most this many seconds says so. */
const SHORT = 60

/** For how many seconds the question can be answered here, from its beginning. */
function hold(door: AgentDoor): number {
  return door.until ? Math.round((Date.parse(door.until) - Date.parse(door.since ?? door.until)) / 1000) : Infinity
}

/** asked: the question as one text. */
export function DoorButtons({ door, name, asked }: { door: AgentDoor; name: string; asked: string }) {
  const app = useApp()
  if (door.choices.length === 0) return <p class="quiet meta">{doorsWords.terminal}</p>
  if (isGuest(app.model)) return <p class="quiet meta">{doorsWords.guest}</p>
  const sent = app.pending.value.findLast((p) => p.frame.type === 'door:answer' && p.frame.doorId === door.doorId)
  const what = asked.length > NAMED ? `${asked.slice(0, NAMED)}…` : asked
  const busy = sent !== undefined && sent.status !== 'refused'
  return (
    <>
      <div class="buttons agent-door-choices">
        {door.choices.map((choice) => (
          <button
            key={choice}
            type="button"
            class={choice === 'allow' ? 'small primary' : 'small'}
            disabled={busy}
            title={choice === 'always' && door.always ? doorsWords.always(door.always) : doorsWords.hints[choice]}
            aria-label={doorsWords.answer(doorsWords.choices[choice] ?? choice, name, door.tool, what)}
            data-testid={`door-${choice}`}
            onClick={() => {
              if (sent) app.discard(sent.requestId)
              app.send({ type: 'door:answer', doorId: door.doorId, choice })
            }}
          >
            {doorsWords.choices[choice] ?? choice}
          </button>
        ))}
      </div>
      {door.always && door.choices.includes('always') && (
        <p class="quiet meta agent-door-note" data-testid="door-always-what">
          {doorsWords.always(door.always)}
        </p>
      )}
      {hold(door) <= SHORT && (
        <p class="quiet meta agent-door-note" data-testid="door-until">
          {doorsWords.until(hold(door))}
        </p>
      )}
      {sent?.status === 'refused' && (
        <p class="problem" role="alert">
          {doorsWords.refused(sent.error?.message ?? '')}
        </p>
      )}
    </>
  )
}
