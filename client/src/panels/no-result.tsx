// What stands in the place of the result of a process that ended before it made one: what was said, or the way to it.
import type { RealmModel } from '../state/model'
import { saidIn } from '../state/results'
import { words } from '../words'
import { useApp } from './context'
import { Bubble } from './conversation/bubble'
import { useSelect } from './use-select'

export function NoResult({ realm, processId }: { realm: RealmModel; processId: string }) {
  const app = useApp()
  const said = useSelect(() => saidIn(realm, processId), [realm, processId])
  const w = words.completion
  return (
    <>
      <p>
        {said.length > 0 ? w.onlySaid : w.nothing}{' '}
        <button
          type="button"
          class="link"
          data-testid="completion-talk"
          onClick={() => app.conversations.choose(processId)}
        >
          {words.artifacts.toTalk}
        </button>
      </p>
      {said.map((m) => (
        <Bubble key={m.messageId} message={m} realm={realm} view={realm.views[processId] ?? null} />
      ))}
    </>
  )
}
