// The button in an empty tab that starts the work that fills the tab: the code review by scouts or, if no review can
// be started here, the choice of a process. Only hosts see it, and only while no process runs.
import type { RealmModel } from '../state/model'
import { hasProcess, linked } from '../state/select'
import { words } from '../words'
import { scoutsOf } from '../words-driver'
import { startWords } from '../words-start'
import { useApp } from './context'
import { useSelect } from './use-select'

/** any: whether every process fills the tab. Then the button opens the choice of a process. */
export function BeginWork({ realm, any = false }: { realm: RealmModel; any?: boolean }) {
  const app = useApp()
  const busy = useSelect(() => hasProcess(realm.world), [realm])
  if (!app.host.value || busy) return null
  const folder = realm.world.realm.name
  const review = linked(realm.world) && app.model.server?.templates.find((t) => t.driver === 'scout')
  if (any || !review)
    return (
      <button type="button" data-testid="empty-start" onClick={() => (app.dialog.value = 'start')}>
        {words.stage.start}
      </button>
    )
  return (
    <button
      type="button"
      data-testid="empty-review"
      disabled={app.pending.value.some((p) => p.frame.type === 'player:start-process' && p.status !== 'refused')}
      onClick={() => app.startProcess(startWords.problem(folder), review.id, {})}
    >
      {startWords.review(scoutsOf(review), folder)}
    </button>
  )
}
