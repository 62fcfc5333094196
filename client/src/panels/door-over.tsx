// How a question that was open on this page ended: who answered it, or where it was answered.
import type { AgentDoor } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { doorsWords } from '../words-doors'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { useSelect } from './use-select'

export function DoorOver({ realm, door }: { realm: RealmModel; door: AgentDoor }) {
  const app = useApp()
  const who = useSelect(() => app.model.spectators.list.find((s) => s.spectatorId === door.by)?.name ?? '', [app, door])
  const outcome = doorsWords.outcomes[door.outcome ?? ''] ?? door.outcome ?? ''
  return (
    <li class="agent-door agent-door-over quiet" data-testid="door-over" data-outcome={door.outcome}>
      <StateMark state="done" />
      <span>
        {nameOf(realm, door.agentId)}: <code>{door.summary || door.tool}</code> - {doorsWords.by(outcome, who)}
      </span>
    </li>
  )
}
