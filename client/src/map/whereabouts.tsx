// Where everybody is and what their camps have come to: what the drawing shows, as words.
import { HeroMenu } from '../panels/talk/hero-menu'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import type { Standing } from './standing'

export function Whereabouts({ realm, standing }: { realm: RealmModel; standing: Standing }) {
  const list = useSelect(() => whereabouts(realm), [realm])
  if (list.length === 0) return null
  return (
    <section class="whereabouts" data-testid="whereabouts">
      <h3>{words.map.heroes}</h3>
      <ul>
        {list.map(({ id, name, room, reads, fort }) => (
          <li key={id}>
            <HeroMenu id={id} name={name} />
            <strong>{name}</strong>{' '}
            {room !== null ? (
              <button type="button" class="link" onClick={() => standing.go(room)}>
                {words.map.within(room || words.map.keep)}
              </button>
            ) : (
              <span>{words.map.outside}</span>
            )}
            {reads && <span>, {words.map.reads(reads)}</span>}
            {fort > 0 && <span class="quiet">. {words.map.fortStages[fort - 1]}.</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Whereabout {
  id: string
  name: string
  /** The path of the room, null out in the country. */
  room: string | null
  /** The file that is read there; "" for none. */
  reads: string
  /** How far the fort is; 0 where there is none. */
  fort: number
}

function whereabouts({ world: { agents, forts } }: RealmModel): Whereabout[] {
  return agents.map((a) => ({
    id: a.id,
    name: a.displayName,
    room: a.inside ? a.realm : null,
    reads: a.activity === 'reading' ? (a.walk?.target ?? '') : '',
    fort: forts.find((f) => f.agentId === a.id)?.stage ?? 0,
  }))
}
