// The form that starts a chat: a select of the agent, and the buttons.
import { useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { AgentPick } from '../../panels/conversation/agent-pick'
import { StartFoot } from '../../panels/conversation/start-foot'
import { playedCast } from '../../state/conversations'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { openChat } from './open-chat'

export function ChatStart({ draft, onDraft, choice, onStarted, onDone }: StartProps) {
  const app = useApp()
  const { agents } = playedCast(app.model)
  const [problem, setProblem] = useState('')
  const first = draft.chosen[0] ?? agents[0]?.id ?? ''
  const start = () => {
    if (first === '') return setProblem(words.conversation.dialog.agentMissing)
    app.discardRefused('conversation.start')
    openChat(app, first)
    onStarted()
  }
  return (
    <form
      class="fields"
      onSubmit={(e) => {
        e.preventDefault()
        start()
      }}
    >
      {choice}
      <AgentPick agents={agents} chosen={first} onPick={(id) => onDraft((now) => ({ ...now, chosen: [id] }))} />
      <StartFoot problem={problem} busy={false} onDone={onDone} />
    </form>
  )
}
