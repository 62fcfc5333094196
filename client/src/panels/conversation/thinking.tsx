// Names the members who are at work without streaming text: agents that think or use a tool, and people whose turn it
// is.
import type { ConversationProps } from '../../kinds/kind'
import { memberName, memberOf } from '../../state/conversations'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../state-mark'
import { StopRun } from './stop-run'

export function Thinking({ view, realm }: ConversationProps) {
  const me = useApp().model.me?.spectatorId
  const streams = (requestId: string) =>
    view.messages.some((m) => m.status === 'open' && m.role === 'assistant' && m.requestId === requestId)
  const run = view.activeRuns.find((r) => r.memberId !== me && !streams(r.requestId))
  if (!run) return null
  const person = memberOf(view, run.memberId)?.type === 'human'
  const name = memberName(realm, view, run.memberId)
  return (
    <p class="thinking" role="status" data-testid="thinking">
      <StateMark state={person ? 'reading' : 'running'} />
      <span>{person ? words.conversation.isAsked(name) : words.conversation.isAtWork(name)}</span>
      {!person && <StopRun view={view} requestId={run.requestId} />}
    </p>
  )
}
