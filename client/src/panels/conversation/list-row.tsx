// A row of the list of conversations.
import { kindOf } from '../../kinds/kinds'
import type { ListedConversation } from '../../kinds/list-conversations'
import { isOver } from '../../state/views'
import { age, DOT, moment, words } from '../../words'
import { StateMark, type State } from '../state-mark'

export function ConversationRow({
  conversation: c,
  chosen,
  unread,
  process,
  now,
  onPick,
}: {
  conversation: ListedConversation
  chosen: boolean
  unread: boolean
  process: boolean
  /** The current time. */
  now: number
  onPick: (id: string) => void
}) {
  const kind = kindOf(c)
  const label = kind.label(c)
  const status = c.asked
    ? kind.waits.word
    : c.waitsFor
      ? words.conversation.waitsFor(c.waitsFor)
      : c.running
        ? words.conversation.running
        : kind.listStatus(c)
  const note = kind.listNote(c)
  return (
    <li>
      <button
        type="button"
        class={`conversation-row${isOver(c.status) ? ' conversation-over' : ''}${unread ? ' conversation-unread' : ''}`}
        aria-current={chosen ? 'true' : undefined}
        data-testid={`talk-${c.conversationId}`}
        data-kind={label.id}
        data-status={c.status}
        data-unread={unread}
        data-process={process}
        onClick={() => onPick(c.conversationId)}
      >
        <StateMark state={markOf(c)} />
        <span class="conversation-name">{c.title || label.word}</span>
        {unread && <span class="dot-new" role="img" aria-label={words.conversation.unread} />}
        <span class="conversation-meta quiet">
          {label.word}
          {status && `, ${status}`}
          {note && DOT + note}
        </span>
        <time class="quiet" dateTime={c.updatedAt ?? undefined} title={moment(c.updatedAt ?? '')}>
          {age(c.updatedAt, now)}
        </time>
      </button>
    </li>
  )
}

function markOf(c: ListedConversation): State {
  if (c.asked) return kindOf(c).waits.mark
  if (c.waitsFor) return 'waiting'
  if (c.running) return 'running'
  if (c.status === 'completed') return 'done'
  if (c.status === 'active' || c.status === 'abandoned') return 'open'
  return c.status === 'interrupted' || isOver(c.status) ? 'interrupted' : 'waiting'
}
