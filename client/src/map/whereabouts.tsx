// The content of the drawing as text: where each hero is, and how far the hero's fort has grown.
import { HeroMenu } from '../panels/conversation/hero-menu'
import { useSelect } from '../panels/use-select'
import type { AgentState } from '../net/protocol.gen'
import { AgentDoing } from '../panels/agent-doing'
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { heroName } from '../state/select'
import { words } from '../words'
import { heroDoing } from '../words-hero'
import type { Navigation } from './navigation'

export function Whereabouts({ realm, navigation }: { realm: RealmModel; navigation: Navigation }) {
  const list = useSelect(() => whereabouts(realm), [realm])
  if (list.length === 0) return null
  return (
    <section class="whereabouts" data-testid="whereabouts">
      <h3>{words.map.heroes}</h3>
      <ul>
        {list.map(({ id, name, room, doing, fort, state }) => (
          <li key={id}>
            <HeroMenu id={id} name={name} />
            <strong>{name}</strong>{' '}
            {room !== null ? (
              <button type="button" class="link" onClick={() => navigation.go(room)}>
                {words.map.within(room || words.map.keep)}
              </button>
            ) : (
              <span>{words.map.outside}</span>
            )}
            {doing && <span>, {doing}</span>}
            {state && <AgentDoing id={id} state={state} />}
            {fort > 0 && (
              <span class="quiet">
                {state ? '' : '. '}
                {words.map.fortStages[fort - 1]}.
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Whereabout {
  id: string
  name: string
  /** The path of the hero's room; null in the country. */
  room: string | null
  /** The hero's activity; "" for none, and for a coding agent, whose `state` has its activity. */
  doing: string
  /** The stage of growth of the hero's fort; 0 if the hero has no fort. */
  fort: number
  /** The state of a coding agent that a person runs; null for any other member. */
  state: AgentState | null
}

function whereabouts(realm: RealmModel): Whereabout[] {
  const { world } = realm
  const { forts } = world
  return heroesOf(world).map((a) => ({
    id: a.id,
    name: heroName(realm, a),
    room: a.inside ? a.realm : null,
    doing: a.state ? '' : heroDoing({ ...a, target: a.walk?.target ?? '' }, '', false),
    fort: forts.find((f) => f.agentId === a.id)?.stage ?? 0,
    state: a.state ?? null,
  }))
}
