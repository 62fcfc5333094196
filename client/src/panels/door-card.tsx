// The permission question of one agent: who asks, for which tool call, and the answers.
import type { AgentDoor } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { askedFor, doorDetails, moreThan } from '../state/door-details'
import { questionsIn } from '../state/questions'
import { titleOf } from '../state/roster'
import { nameOf } from '../state/select'
import { doorsWords } from '../words-doors'
import { DoorAsked } from './door-asked'
import { DoorButtons } from './door-buttons'
import { DoorDetails } from './door-details'
import { SessionLink } from './session-link'
import { StateMark } from './state-mark'

/** alone: whether it is the only question. Then its details are open at first. */
export function DoorCard({ realm, door, alone }: { realm: RealmModel; door: AgentDoor; alone: boolean }) {
  const name = nameOf(realm, door.agentId)
  const title = titleOf(realm, door.conversationId)
  const root = realm.world.realm.path
  const input = doorDetails(door.detail ?? '{}')
  const asked = askedFor(door.summary, input, root)
  const details = questionsIn(door.detail).length > 0 ? null : moreThan(asked, input, root)
  return (
    <li class="agent-door" tabIndex={-1} data-testid="door" data-door={door.doorId}>
      <p class="agent-door-line">
        <StateMark state="waiting" />
        <strong>{name}</strong>
        <span title={door.tool}>{doorsWords.asks(door.tool)}</span>
        {title && (
          <span class="quiet agent-door-title" title={title}>
            {title}
          </span>
        )}
      </p>
      <DoorAsked door={door} asked={asked} why={input.why} />
      {details && (
        <details open={alone}>
          <summary>{doorsWords.details}</summary>
          <DoorDetails of={details} />
        </details>
      )}
      <div class="agent-door-answer">
        <DoorButtons door={door} name={name} asked={asked} />
        <SessionLink id={door.conversationId} name={name} />
      </div>
    </li>
  )
}
