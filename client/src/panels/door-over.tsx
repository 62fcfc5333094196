// How a question that was open on this page ended: who answered it, or that it was answered in the terminal.
import type { AgentDoor } from '../net/protocol.gen'
import { askedFor } from '../state/door-details'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { StateMark } from './state-mark'
import { useOutcome } from './use-outcome'

export function DoorOver({ realm, door }: { realm: RealmModel; door: AgentDoor }) {
  const outcome = useOutcome()
  const root = realm.world.realm.path ?? ''
  return (
    <li
      class="agent-door-over quiet"
      tabIndex={-1}
      data-testid="door-over"
      data-over={door.doorId}
      data-outcome={door.outcome}
    >
      <StateMark state="done" />
      <span>
        {nameOf(realm, door.agentId)}: <code>{askedFor(door.summary, { command: '' }, root) || door.tool}</code>{' '}
        <strong>{outcome(door)}</strong>
      </span>
    </li>
  )
}
