// The open question of a hero, on the hero's card. After its end the card says how it ended.
import { useRef } from 'preact/hooks'
import { askedFor, doorDetails } from '../state/door-details'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { DoorAsked } from './door-asked'
import { DoorButtons } from './door-buttons'
import { DoorOver } from './door-over'
import { useDoorFocus } from './use-door-focus'
import { usePart } from './use-select'

/** The component must have the hero's id as its key, because it stores the last shown question. */
export function HeroDoor({ realm, id, name }: { realm: RealmModel; id: string; name: string }) {
  const list = useRef<HTMLUListElement>(null)
  const shown = useRef('')
  const door = usePart(() => realm.world.doors?.find((d) => d.agentId === id && isOpen(d)), [realm, id])
  const over = usePart(() => realm.world.doors?.find((d) => d.doorId === shown.current && !isOpen(d)), [realm])
  if (door) shown.current = door.doorId
  useDoorFocus(list, door ? [door.doorId] : [])
  if (!door && !over) return null
  const input = doorDetails(door?.detail ?? '{}')
  const asked = door ? askedFor(door.summary, input, realm.world.realm.path) : ''
  return (
    <ul class="hero-door" ref={list}>
      {door ? (
        <li class="agent-door" tabIndex={-1} data-testid="hero-door" data-door={door.doorId}>
          <DoorAsked door={door} asked={asked} why={input.why} />
          <DoorButtons door={door} name={name} asked={asked} />
        </li>
      ) : (
        over && <DoorOver realm={realm} door={over} />
      )}
    </ul>
  )
}
