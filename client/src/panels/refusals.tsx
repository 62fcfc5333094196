// What the server did not take, said where the person is, until they put it away.
import { isQuestion, isSaying, sayingOf, type CommandFrame, type Pending } from '../net/outbox'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './marks'
import { cut } from './plain'

type Kind = CommandFrame['type']

/** Said where they were asked for: in a dialog of their own. */
const ELSEWHERE: ReadonlySet<Kind> = new Set(['conversation.start', 'team:set', 'skill:give', 'history:erase'])

/**
 * of: those about that conversation; only: those types; else all but those of without and of conversations. Questions
 * speak for themselves.
 */
export function Refusals({
  of,
  only,
  without = [],
}: {
  of?: string
  only?: readonly Kind[]
  without?: readonly Kind[]
}) {
  const app = useApp()
  const process = app.model.value.realm?.world.processState.conversationId
  const shown = app.pending.value.filter((p) => {
    if (p.status !== 'refused' || isQuestion(p.frame) || p.frame.type.startsWith('player:navigate-')) return false
    const about = conversationOf(p.frame)
    if (of !== undefined) return about === of && !(about === process && p.frame.type === 'chat.send')
    if (only) return only.includes(p.frame.type)
    return (
      !without.includes(p.frame.type) &&
      !ELSEWHERE.has(p.frame.type) &&
      (about === '' || (about === process && p.frame.type === 'chat.send'))
    )
  })
  if (shown.length === 0) return null
  return (
    <div class="refusals" role="alert" data-testid="refusals">
      {shown.map((p) => (
        <Refusal key={p.requestId} pending={p} />
      ))}
    </div>
  )
}

/** The conversation that a command is about, "" for none. */
function conversationOf(f: CommandFrame): string {
  return 'conversationId' in f ? (f.conversationId ?? '') : ''
}

function Refusal({ pending: p }: { pending: Pending }) {
  const app = useApp()
  const said = isSaying(p) && sayingOf(p) !== ''
  return (
    <div class="refusal" data-testid="refusal" data-code={p.error?.code}>
      <StateMark state="interrupted" />
      <div>
        <strong>{words.refusal.title(words.refusal.of[p.frame.type] ?? p.frame.type)}.</strong> {p.error?.message}
        {said && <blockquote>{cut(sayingOf(p), 200)}</blockquote>}
      </div>
      <div class="buttons">
        {said && (
          <button type="button" class="small" onClick={() => app.takeBack(p)}>
            {words.talk.putBack}
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={words.refusal.dismiss}
          onClick={() => app.discard(p.requestId)}
        >
          ✕
        </button>
      </div>
    </div>
  )
}
