// What a conversation waits for, or how it ended.
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { useApp } from '../context'
import { StateMark } from '../state-mark'

export function StatusLine(at: ConversationProps) {
  const text = kindOf(at.view).statusLine(at, useApp().host.value)
  if (text === '') return null
  return (
    <p class="conversation-status-line" role="status" data-testid="talk-standing">
      <StateMark state={at.view.status === 'interrupted' ? 'interrupted' : 'waiting'} />
      {text}
    </p>
  )
}
