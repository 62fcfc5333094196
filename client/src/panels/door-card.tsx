// The question of one agent: who asks, for what exactly, and the answers.
import type { AgentDoor } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { doorDetails, moreThan } from '../state/door-details'
import { nameOf } from '../state/select'
import { doorsWords } from '../words-doors'
import { useApp } from './context'
import { DoorButtons } from './door-buttons'
import { DoorDetails } from './door-details'
import { StateMark } from './state-mark'

/** alone: whether it is the only question, so that there is room for its details. */
export function DoorCard({ realm, door, alone }: { realm: RealmModel; door: AgentDoor; alone: boolean }) {
  const app = useApp()
  const name = nameOf(realm, door.agentId)
  const details = moreThan(door.summary, doorDetails(door.detail ?? '{}'))
  return (
    <li class="agent-door" data-testid="door" data-door={door.doorId}>
      <p class="agent-door-line">
        <StateMark state="waiting" />
        <strong>{name}</strong>
        <span>{doorsWords.asks(door.tool)}</span>
        <code class="agent-door-summary">{door.summary}</code>
      </p>
      {details && (
        <details open={alone}>
          <summary>{doorsWords.details}</summary>
          <DoorDetails of={details} />
        </details>
      )}
      <div class="agent-door-answer">
        <DoorButtons door={door} name={name} />
        <button type="button" class="link meta" onClick={() => app.conversations.choose(door.conversationId)}>
          {doorsWords.session}
        </button>
      </div>
    </li>
  )
}
