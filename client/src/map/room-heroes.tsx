// The heroes in a room.
import { Shield } from '../panels/shield'
import { useSelect } from '../panels/use-select'
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { colorOf, heroName } from '../state/select'
import { words } from '../words'

export function RoomHeroes({ realm, path }: { realm: RealmModel; path: string }) {
  const here = useSelect(
    () =>
      heroesOf(realm.world)
        .filter((a) => a.inside && a.realm === path)
        .map((a) => ({
          id: a.id,
          name: heroName(realm, a),
          color: colorOf(realm, a.id) ?? a.color,
          lit: a.status === 'running',
        })),
    [realm, path],
  )
  if (here.length === 0) return null
  return (
    <div class="standing">
      {here.map((a) => (
        <span key={a.id} class={a.lit ? 'hero lit' : 'hero'} title={words.map.standing(a.name)}>
          <Shield id={a.id} name={a.name} color={a.color} />
          <span>{a.name}</span>
        </span>
      ))}
    </div>
  )
}
