// The open question of a hero, on the hero's card.
import { askedFor, doorDetails } from '../state/door-details'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { DoorButtons } from './door-buttons'
import { usePart } from './use-select'

export function HeroDoor({ realm, id, name }: { realm: RealmModel; id: string; name: string }) {
  const door = usePart(() => realm.world.doors?.find((d) => d.agentId === id && isOpen(d)), [realm, id])
  if (!door) return null
  const asked = askedFor(door.summary, doorDetails(door.detail ?? '{}'), realm.world.realm.path)
  return (
    <div class="agent-door" data-testid="hero-door">
      <code class="agent-door-summary">{asked}</code>
      <DoorButtons door={door} name={name} asked={asked} />
    </div>
  )
}
