// What the server did not take, said where the person is, until they put it away.
import { isQuestion, type CommandFrame } from '../net/outbox'
import { useApp } from './context'
import { Refusal } from './refusal'

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
  const process = app.model.realm?.world.processState.conversationId
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
