// A row of a transcript: a dividing line, a message, a tool call, a note, or a pending message.
import type { ConversationView, Message } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import type { Note, RealmModel } from '../../state/model'
import { words } from '../../words'
import { Markdown } from '../markdown/markdown'
import { noteText } from '../note-text'
import { Bubble } from './bubble'
import { PendingBubble } from './pending-bubble'
import type { Row } from './rows'
import { ToolCall } from './tool-call'

interface Props {
  row: Row
  realm: RealmModel
  view: ConversationView | null
  /** Whether a search hit led to this row. */
  led: boolean
}

export function RowView({ row, realm, view, led }: Props) {
  switch (row.kind) {
    case 'stage':
    case 'day':
      return (
        <h3 class={row.kind === 'day' ? 'day-line' : 'stage-line'}>
          <span>{row.name}</span>
        </h3>
      )
    case 'message':
      if (row.message.role === 'system') {
        return (
          <p
            class={`system-line${kindOf(view).staged ? '' : ' system-quiet'}${led ? ' led' : ''}`}
            data-testid="message"
            data-role="system"
            data-status={row.message.status}
          >
            <span>{row.message.content}</span>
          </p>
        )
      }
      return (
        <div class={led ? 'led' : undefined}>
          {row.message.role === 'tool' && row.message.tool ? (
            <ToolCall message={row.message} input={row.message.tool.input} realm={realm} view={view} />
          ) : (
            <Bubble message={row.message} realm={realm} view={view} />
          )}
        </div>
      )
    case 'sealed':
      return (
        <p class="note" data-testid="sealed">
          {words.transcript.sealed(row.count)}
        </p>
      )
    case 'note': {
      const remark = remarkOf(row.note)
      if (remark) return <Bubble message={remark} realm={realm} view={view} />
      const text = noteText(realm, row.note)
      if (text.markdown) {
        return (
          <div class="note markdown">
            <Markdown text={text.text} />
          </div>
        )
      }
      return text.text ? <p class={text.bad ? 'note note-bad' : 'note'}>{text.text}</p> : null
    }
    case 'pending':
      return <PendingBubble pending={row.pending} view={view} />
    case 'older':
      return <p class="note">{row.loading ? words.transcript.older : words.transcript.olderKept}</p>
  }
}

/** What a person said to everybody outside of the conversation, as a message; null for another note. */
function remarkOf({ what, conversationId }: Note): Message | null {
  if (what.kind !== 'event' || what.event.type !== 'spectator:command') return null
  const { seq, at, name, text, spectatorId } = what.event
  const said = { role: 'user', status: 'done', memberId: '', content: text } as const
  return { ...said, messageId: `remark-${seq}`, conversationId, at, name, spectatorId }
}
