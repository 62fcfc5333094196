// A line of the list of conversations.
import { kindOf } from '../../kinds/kinds'
import type { Talk } from '../../kinds/list'
import { isOver } from '../../state/views'
import { ago, clock, moment, words } from '../../words'
import { StateMark } from '../state-mark'

export function TalkRow({
  talk: t,
  chosen,
  unread,
  process,
  onPick,
}: {
  talk: Talk
  chosen: boolean
  unread: boolean
  process: boolean
  onPick: (id: string) => void
}) {
  const kind = kindOf(t)
  const called = kind.called(t)
  const status = t.asked ? words.chats.asked : t.running ? words.chats.running : kind.listStatus(t)
  const note = kind.listNote(t)
  const old = t.updatedAt !== null && Date.now() - Date.parse(t.updatedAt) > 20 * 3600_000
  return (
    <li>
      <button
        type="button"
        class={`talk-row${isOver(t.status) ? ' talk-over' : ''}${unread ? ' talk-unread' : ''}`}
        aria-current={chosen ? 'true' : undefined}
        data-testid={`talk-${t.conversationId}`}
        data-kind={called.id}
        data-status={t.status}
        data-unread={unread}
        data-process={process}
        onClick={() => onPick(t.conversationId)}
      >
        <StateMark
          state={
            t.asked
              ? 'reading'
              : t.running
                ? 'running'
                : isOver(t.status)
                  ? 'done'
                  : t.status === 'interrupted'
                    ? 'interrupted'
                    : t.status === 'active'
                      ? 'open'
                      : 'waiting'
          }
        />
        <span class="talk-name">{t.title || called.word}</span>
        {unread && <span class="dot-new" role="img" aria-label={words.chats.unread} />}
        <span class="talk-meta quiet">
          {called.word}
          {status && `, ${status}`}
          {note && ` · ${note}`}
        </span>
        <time class="quiet" dateTime={t.updatedAt ?? undefined} title={moment(t.updatedAt ?? '')}>
          {old ? ago(t.updatedAt, Date.now()) : clock(t.updatedAt ?? '')}
        </time>
      </button>
    </li>
  )
}
