// Refused commands. Those in a form stay until the person sends the form again. Others disappear after a while, but
// not while the pointer or the focus is on them. A refused message does not disappear, because its text must not be
// lost.
import { useEffect, useState } from 'preact/hooks'
import { isQuestion, isSaying, sayingOf, type CommandFrame, type Pending } from '../net/outbox'
import { words } from '../words'
import { useApp } from './context'
import { Refusal } from './refusal'

type Kind = CommandFrame['type']

/** How long a refusal is shown that needs no action, in milliseconds. */
export const SHOWN_MS = 12_000

/** The commands whose refusals are shown in places of their own. */
const ELSEWHERE: ReadonlySet<Kind> = new Set([
  'conversation.start',
  'team:set',
  'skill:give',
  'history:erase',
  'door:answer',
  'agent:tell',
  'agent:stop',
])

/**
 * Without `of` and `only`, shows the refused commands that are about no conversation, and refused messages to the
 * process. of: shows the refused commands about this conversation instead. only: shows the refused commands of these
 * types instead. without: types that are left out; it has no effect beside `of` or `only`. Refused commands that only
 * read, or that tell where the person looks, are never shown.
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
    if (p.status !== 'refused' || isQuestion(p.frame) || tellsPlace(p.frame)) return false
    const about = p.typedIn ?? conversationOf(p.frame)
    if (of !== undefined) return about === of && !(about === process && p.frame.type === 'chat.send')
    if (only) return only.includes(p.frame.type)
    return (
      !without.includes(p.frame.type) &&
      !ELSEWHERE.has(p.frame.type) &&
      (about === '' || (about === process && p.frame.type === 'chat.send'))
    )
  })
  const [held, hold] = useState(false)
  const leaving =
    only || held
      ? ''
      : shown
          .filter((p) => !needsAction(p))
          .map((p) => p.requestId)
          .join(' ')
  useEffect(() => {
    if (leaving === '') return
    const timer = setTimeout(() => leaving.split(' ').forEach((id) => app.discard(id)), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [app, leaving])
  if (shown.length === 0) return null
  return (
    <div
      class="refusals"
      role="alert"
      data-testid="refusals"
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocusCapture={() => hold(true)}
      onBlurCapture={() => hold(false)}
    >
      {shown.length > 1 && (
        <button
          type="button"
          class="small"
          data-testid="refusals-dismiss"
          onClick={() => shown.forEach((p) => app.discard(p.requestId))}
        >
          {words.refusal.dismissAll(shown.length)}
        </button>
      )}
      {shown.map((p) => (
        <Refusal key={p.requestId} pending={p} />
      ))}
    </div>
  )
}

/** Whether the refused command has a text that the person can send again. */
function needsAction(p: Pending): boolean {
  return isSaying(p) && sayingOf(p) !== ''
}

/** Whether the command tells the server where the person looks. What cannot be shown says so itself. */
function tellsPlace({ type }: CommandFrame): boolean {
  return type === 'file:open' || type.startsWith('player:navigate-')
}

/** The conversation of a command; "" for none. */
function conversationOf(f: CommandFrame): string {
  return 'conversationId' in f ? (f.conversationId ?? '') : ''
}
