// A door in the list of a room.
import type { ReadonlySignal } from '@preact/signals'
import type { Door } from '../net/protocol.gen'
import { words } from '../words'
import type { CollisionsAt } from './collisions'
import { DoorCollisions } from './door-collisions'
import { DoorDrawing } from './door-drawing'
import { DoorFlags } from './door-flags'
import type { Flags } from './flags'

export function DoorButton({
  door,
  flags,
  collisions,
  onGo,
  rootName,
}: {
  door: Door
  flags: ReadonlySignal<Flags>
  collisions: ReadonlySignal<CollisionsAt>
  onGo: () => void
  rootName: string
}) {
  const name = door.back ? words.map.up(door.path === '' ? rootName : door.name) : door.name
  return (
    <button type="button" class={door.back ? 'door door-back' : 'door'} onClick={onGo} title={name}>
      <DoorDrawing back={door.back ?? false} />
      <span class="door-name">{name}</span>
      {!door.back && <span class="quiet">{words.map.files(door.files)}</span>}
      {!door.back && (door.uncommitted ?? 0) > 0 && (
        <span
          class="mark-open"
          title={words.map.uncommittedBelow(door.uncommitted ?? 0)}
          role="img"
          aria-label={words.map.uncommittedBelow(door.uncommitted ?? 0)}
        />
      )}
      {!door.back && <DoorFlags path={door.path} flags={flags} />}
      {!door.back && <DoorCollisions path={door.path} collisions={collisions} />}
    </button>
  )
}
