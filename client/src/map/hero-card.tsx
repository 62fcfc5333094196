// The card of a hero on the map, with buttons.
import { heroOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { sessionOf, titleOf } from '../state/roster'
import { AgentCost } from '../panels/agent-cost'
import { AgentDoing } from '../panels/agent-doing'
import { useApp } from '../panels/context'
import { HeroDoor } from '../panels/hero-door'
import { Tell } from '../panels/tell'
import { HeroActions } from '../panels/conversation/hero-actions'
import { useSelect } from '../panels/use-select'
import { heroName } from '../state/select'
import { words } from '../words'
import { agentsWords } from '../words-agents'
import { HeroDoing } from './hero-doing'
import { HeroProgress } from './hero-progress'

export function HeroCard({
  realm,
  id,
  onFollow,
  onGo,
}: {
  realm: RealmModel
  id: string
  onFollow: (id: string) => void
  onGo: (path: string) => void
}) {
  const a = useSelect(() => heroOf(realm.world, id), [realm, id])
  const found = useSelect(
    () => realm.world.findings.filter((f) => f.agentId === id && !f.withdrawn).length,
    [realm, id],
  )
  const app = useApp()
  const session = useSelect(() => sessionOf(realm, id), [realm, id])
  const title = useSelect(() => titleOf(realm, session), [realm, session])
  const name = useSelect(() => (a ? heroName(realm, a) : ''), [realm, a])
  const details = realm.details[id]
  if (!a) return null
  return (
    <>
      <h3>{name}</h3>
      {title && <p class="quiet card-title">{title}</p>}
      <ul class="facts">
        <li>{a.inside ? words.map.within(a.realm || words.map.keep) : words.map.outside}</li>
        {a.state && (
          <li>
            <AgentDoing id={id} state={a.state} />
            <AgentCost realm={realm} id={id} />
          </li>
        )}
        {!a.state && <HeroDoing realm={realm} agent={a} />}
        <HeroProgress id={id} />
        {!a.state && <li>{words.map.found(found)}</li>}
      </ul>
      <HeroDoor key={id} realm={realm} id={id} name={name} />
      <Tell key={id} realm={realm} id={id} name={name} card />
      {details?.persona && (
        <details class="quiet card-persona" data-testid="card-persona">
          <summary>{words.map.told}</summary>
          <p>{details.persona}</p>
        </details>
      )}
      {(details?.insights.length ?? 0) > 0 && (
        <>
          <h4>{words.map.learned}</h4>
          <ul class="card-findings" data-testid="card-insights">
            {details!.insights.slice(0, 5).map((i, n) => (
              <li key={n}>{i.text}</li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons">
        <button type="button" class="small" data-testid="follow" onClick={() => onFollow(id)}>
          {words.map.follow}
        </button>
        {a.inside && (
          <button type="button" class="small" onClick={() => onGo(a.realm)}>
            {words.map.goThere}
          </button>
        )}
        {session && (
          <button
            type="button"
            class="small"
            data-testid="open-session"
            onClick={() => app.conversations.choose(session)}
          >
            {agentsWords.open}
          </button>
        )}
        <HeroActions id={id} />
      </div>
    </>
  )
}
