// The members who act in the stage, and which of these are at work or have their turn now.
import type { RealmModel } from '../state/model'
import { acting, asks, casting, colorOf, nameOf, processView, stageAt } from '../state/select'
import { facts, join, words } from '../words'
import { ReadFiles } from './read-files'
import { Shield } from './shield'
import { useSelect } from './use-select'

/**
 * The maximum length of the text with the names, in characters. The stage bar shows only the numbers in place of a
 * longer text, even on a desktop.
 */
const LONG = 40

export function StageWho({ realm }: { realm: RealmModel }) {
  const who = useSelect(() => whoActs(realm), [realm])
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
        <span class="who-says" title={who.says}>
          {who.says.length <= LONG && <span class="who-names">{who.says}</span>}
          <span class="who-count">{who.counts}</span>
        </span>
        <ReadFiles realm={realm} bar />
      </span>
    </span>
  )
}

function whoActs(realm: RealmModel) {
  const at = stageAt(realm)
  if (at === null || realm.world.processState.status === 'completed') return null
  const asked = asks(realm).map((a) => a.roleId)
  const running = (processView(realm)?.activeRuns ?? [])
    .map((r) => r.turn?.roleId ?? r.memberId)
    .filter((id) => !asked.includes(id))
  const names = (ids: string[]) => join(ids.map((id) => nameOf(realm, id)))
  const says = facts([
    asked.length > 0 && words.stage.asked(names(asked)),
    running.length > 0 && words.stage.running(names(running)),
  ])
  const counts = facts([
    asked.length > 0 && words.stage.askedCount(asked.length),
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
    says: says || words.stage.quiet,
    counts: counts || words.stage.quiet,
  }
}
