// The form that starts a task: the agent and the task.
import { useApp } from '../../panels/context'
import { AgentPick } from '../../panels/conversation/agent-pick'
import { playedCast } from '../../state/conversations'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { Form } from './form'

export function TaskStart(props: StartProps) {
  const { agents } = playedCast(useApp().model)
  const { draft, onDraft } = props
  const first = draft.chosen[0] ?? agents[0]?.id ?? ''
  return (
    <Form
      {...props}
      members={first ? [first] : []}
      needed={1}
      missing={words.conversation.dialog.agentMissing}
      maxTurns={1}
      who={<AgentPick agents={agents} chosen={first} onPick={(id) => onDraft((now) => ({ ...now, chosen: [id] }))} />}
      note=""
    />
  )
}
