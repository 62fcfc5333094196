// A room as a list: heroes, doors and things, with their findings.
import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { MapChange } from '../net/protocol.gen'
import { Empty } from '../panels/empty'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { collisionsOf } from './collisions'
import { flagsOf } from './flags'
import { RoomHeroes } from './room-heroes'
import { RoomPages } from './room-pages'
import type { Navigation } from './navigation'
import { DoorButton } from './door-button'
import { Shelf } from './shelf'
import { Whereabouts } from './whereabouts'

/** The order in which the kinds of things are listed. */
const KINDS = ['doc', 'config', 'file', 'test', 'link']

export function Room({
  change,
  realm,
  navigation,
  onPage,
}: {
  change: MapChange
  realm: RealmModel
  navigation: Navigation
  onPage: (page: number) => void
}) {
  const { room } = change
  const doors = room.doors ?? []
  const things = room.objects ?? []
  const flags = useMemo(() => computed(() => flagsOf(realm.world.findings)), [realm])
  const collisions = useMemo(() => computed(() => collisionsOf(realm.world.collisions)), [realm])
  return (
    <div
      class="room scroll"
      tabIndex={0}
      role="group"
      aria-label={words.map.room(change.path || words.map.root)}
      data-testid="room"
      data-path={change.path}
    >
      <div class="walls">
        <RoomHeroes realm={realm} path={change.path} />
        {doors.length > 0 && (
          <ul class="doors" aria-label={words.map.doors}>
            {[...doors]
              .sort((a, b) => Number(b.back ?? false) - Number(a.back ?? false))
              .map((d) => (
                <li key={d.id}>
                  <DoorButton
                    door={d}
                    flags={flags}
                    collisions={collisions}
                    onGo={() => navigation.go(d.path)}
                    rootName={realm.world.realm.name}
                  />
                </li>
              ))}
          </ul>
        )}
        {KINDS.map((kind) => {
          const group = things.filter((t) => (KINDS.includes(t.kind) ? t.kind : 'file') === kind)
          return (
            group.length > 0 && (
              <Shelf
                key={kind}
                realm={realm}
                kind={kind}
                things={group}
                marked={navigation.marked}
                flags={flags}
                collisions={collisions}
              />
            )
          )
        })}
        {things.length === 0 && doors.every((d) => d.back) && (
          <Empty text={words.map.empty} next={words.map.emptyNext} />
        )}
        <Whereabouts realm={realm} navigation={navigation} />
      </div>
      {change.pages > 1 && <RoomPages change={change} onPage={onPage} />}
    </div>
  )
}
