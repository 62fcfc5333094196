// The members who act in the stage, and which of these are at work or have their turn now.
import type { RealmModel } from '../state/model'
import { acting, asks, casting, colorOf, myAsks, nameOf, processView, stageAt } from '../state/select'
import { facts, join, words } from '../words'
import { useApp } from './context'
import { ReadFiles } from './read-files'
import { Shield } from './shield'
import { useSelect } from './use-select'

/**
 * The maximum length of the text with the names, in characters. The stage bar shows only the numbers in place of a
 * longer text, even on a desktop.
 */
const LONG = 40
/** The maximum length of the names of those who have to answer where the other names do not fit, in characters. */
const SHORT = 14

export function StageWho({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const who = useSelect(
    () =>
      whoActs(
        realm,
        myAsks(app.model).map((a) => a.roleId),
      ),
    [app, realm],
  )
  if (who === null) return null
  return (
    <span class="who-acts">
      <span class="shields" aria-hidden="true">
        {who.acts.map(({ id, name, color, open, lit }) => (
          <span key={id} class={lit ? 'lit' : ''} title={name}>
            <Shield id={id} name={name} color={color} open={open} />
          </span>
        ))}
      </span>
      <span class="who-fit">
        <span class="who-says" title={who.whole}>
          {who.says.length <= LONG && <span class="who-names">{who.says}</span>}
          <span class="who-count">{who.counts}</span>
        </span>
        <ReadFiles realm={realm} bar />
      </span>
    </span>
  )
}

/** mine: the roles of the person at this page that have their turn. */
function whoActs(realm: RealmModel, mine: readonly string[]) {
  const at = stageAt(realm)
  if (at === null || realm.world.processState.status === 'completed') return null
  const asked = asks(realm).map((a) => a.roleId)
  const running = (processView(realm)?.activeRuns ?? [])
    .map((r) => r.turn?.roleId ?? r.memberId)
    .filter((id) => !asked.includes(id))
  const others = asked.filter((id) => !mine.includes(id))
  const names = (ids: string[]) => join(ids.map((id) => nameOf(realm, id)))
  // Who waits for a person looks for that person and not for the role.
  const roles = others.map((id) => nameOf(realm, id))
  const people = others.map((id, i) => personIn(realm, id) || roles[i]!)
  const both = roles.map((role, i) => (people[i] === role ? role : words.artifacts.personAs(people[i]!, role)))
  const [whole = '', short = ''] = [both, roles].map((waited) =>
    facts([
      mine.length > 0 && words.stage.yours(names([...mine])),
      waited.length > 0 && words.stage.asked(join(waited)),
      running.length > 0 && words.stage.running(names(running)),
    ]),
  )
  const waited = [people, roles].map((list) => join(list)).find((text) => text.length <= SHORT)
  const counts = facts([
    mine.length > 0 && words.stage.yourTurn,
    others.length > 0 && (waited ? words.stage.asked(waited) : words.stage.askedCount(others.length)),
    running.length > 0 && words.stage.runningCount(running.length),
  ])
  return {
    acts: acting(at.stage).map((id) => ({
      id,
      name: nameOf(realm, id),
      color: colorOf(realm, id),
      open: casting(realm, id)?.kind === 'open',
      lit: asked.includes(id) || running.includes(id),
    })),
    whole: whole || words.stage.quiet,
    says: (whole.length <= LONG ? whole : short) || words.stage.quiet,
    counts: counts || words.stage.quiet,
  }
}

/** The name of the person who holds a role; "" if an agent or nobody holds it. */
function personIn(realm: RealmModel, id: string): string {
  const held = casting(realm, id)
  return (held?.kind === 'human' && held.name) || ''
}
