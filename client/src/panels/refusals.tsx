// What the server did not take, said where the person is, until they put it away.
import { isSaying, sayingOf, type CommandFrame, type Pending } from '../net/outbox'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './marks'
import { cut } from './plain'

type Kind = CommandFrame['type']

/** only: those types; without: all but those. Questions speak for themselves. */
export function Refusals({ only, without = [] }: { only?: readonly Kind[]; without?: readonly Kind[] }) {
  const app = useApp()
  const shown = app.pending.value.filter(
    (p) => p.status === 'refused' && p.frame.type !== 'map:room' && !p.frame.type.startsWith('player:navigate-') && (only ? only.includes(p.frame.type) : !without.includes(p.frame.type)),
  )
  if (shown.length === 0) return null
  return (
    <div class="refusals" role="alert" data-testid="refusals">
      {shown.map((p) => (
        <Refusal key={p.requestId} pending={p} />
      ))}
    </div>
  )
}

function Refusal({ pending: p }: { pending: Pending }) {
  const app = useApp()
  return (
    <div class="refusal" data-testid="refusal" data-code={p.error?.code}>
      <StateMark state="interrupted" />
      <div>
        <strong>{words.refusal.title(words.refusal.of[p.frame.type] ?? p.frame.type)}.</strong> {p.error?.message}
        {isSaying(p) && <blockquote>{cut(sayingOf(p), 200)}</blockquote>}
      </div>
      <div class="buttons">
        {isSaying(p) && (
          <button type="button" class="small" onClick={() => app.takeBack(p)}>
            {words.talk.putBack}
          </button>
        )}
        <button type="button" class="icon-button" aria-label={words.refusal.dismiss} onClick={() => app.discard(p.requestId)}>
          ✕
        </button>
      </div>
    </div>
  )
}
