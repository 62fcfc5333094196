// The last line of a message. It says that the message streams, or how the message was cut off.
import type { ConversationView, Message } from '../../net/protocol.gen'
import { words } from '../../words'
import { StateMark } from '../state-mark'
import { StopRun } from './stop-run'

export function BubbleFoot({ message: m, view }: { message: Message; view: ConversationView | null }) {
  if (m.status === 'done') return null
  if (m.status !== 'open') {
    return (
      <footer class={`ended ended-${m.status}`}>
        <StateMark state="interrupted" />
        {words.transcript.status[m.status]}
      </footer>
    )
  }
  const run = view?.activeRuns.find((r) => r.requestId === m.requestId)
  return (
    <footer class="provisional">
      <StateMark state="running" />
      <span>{words.transcript.streaming}</span>
      {view && run && <StopRun view={view} requestId={run.requestId} />}
    </footer>
  )
}
