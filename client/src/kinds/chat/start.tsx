// Beginning a chat: with whom.
import { useState } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { AgentPick } from '../../panels/talk/agent-pick'
import { StartFoot } from '../../panels/talk/start-foot'
import { company } from '../../state/talks'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { talkTo } from './talk-to'

export function ChatStart({ draft, onDraft, choice, onBegun, onDone }: StartProps) {
  const app = useApp()
  const { agents } = company(app.model)
  const [problem, setProblem] = useState('')
  const first = draft.chosen[0] ?? agents[0]?.id ?? ''
  const start = () => {
    if (first === '') return setProblem(words.chats.dialog.agentMissing)
    app.talks.clearRefusedStarts()
    talkTo(app, first)
    onBegun()
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
