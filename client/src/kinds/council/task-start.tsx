// Beginning a task: for one agent, and about what.
import { useApp } from '../../panels/context'
import { AgentPick } from '../../panels/talk/agent-pick'
import { company } from '../../state/talks'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { Form } from './form'

export function TaskStart(props: StartProps) {
  const { agents } = company(useApp().model)
  const { draft, onDraft } = props
  const first = draft.chosen[0] ?? agents[0]?.id ?? ''
  return (
    <Form
      {...props}
      members={first ? [first] : []}
      needed={1}
      missing={words.chats.dialog.agentMissing}
      maxTurns={1}
      who={<AgentPick agents={agents} chosen={first} onPick={(id) => onDraft((now) => ({ ...now, chosen: [id] }))} />}
      note=""
    />
  )
}
