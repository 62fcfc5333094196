// The question of one agent: who asks, for what exactly, and the answers.
import type { AgentDoor } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { doorsWords } from '../words-doors'
import { useApp } from './context'
import { DoorButtons } from './door-buttons'
import { DoorDetails } from './door-details'
import { StateMark } from './state-mark'

export function DoorCard({ realm, door }: { realm: RealmModel; door: AgentDoor }) {
  const app = useApp()
  const name = nameOf(realm, door.agentId)
  return (
    <li class="door" data-testid="door" data-door={door.doorId}>
      <p class="door-line">
        <StateMark state="waiting" />
        <strong>{name}</strong>
        <span>{doorsWords.asks(door.tool)}</span>
        <code class="door-summary">{door.summary}</code>
      </p>
      {door.detail && (
        <details>
          <summary>{doorsWords.details}</summary>
          <DoorDetails input={door.detail} />
        </details>
      )}
      <div class="door-answer">
        <DoorButtons door={door} name={name} />
        <button type="button" class="link meta" onClick={() => app.conversations.choose(door.conversationId)}>
          {doorsWords.session}
        </button>
      </div>
    </li>
  )
}
