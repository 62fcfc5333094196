// Refused commands, shown until they are closed.
import { isQuestion, type CommandFrame } from '../net/outbox'
import { useApp } from './context'
import { Refusal } from './refusal'

type Kind = CommandFrame['type']

/** The commands whose refusals are shown in places of their own. */
const ELSEWHERE: ReadonlySet<Kind> = new Set([
  'conversation.start',
  'team:set',
  'skill:give',
  'history:erase',
  'door:answer',
  'agent:tell',
])

/**
 * Without of and only, shows the refused commands that are about no conversation, and refused chat.send to the process.
 * of: shows the refused commands about this conversation instead. only: shows the refused commands of these types
 * instead. without: the types that are left out if neither of nor only is given. Refused commands that only read are
 * never shown.
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
    const about = p.typedIn ?? conversationOf(p.frame)
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

/** The conversation of a command; "" for none. */
function conversationOf(f: CommandFrame): string {
  return 'conversationId' in f ? (f.conversationId ?? '') : ''
}
