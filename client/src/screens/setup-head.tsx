// The first lines of the setup: why it is shown to a person who was in a realm, and a button that returns to the realm.
import { useApp } from '../panels/context'
import { words } from '../words'
import { viewerWords } from '../words-viewer'

export function SetupHead({ introduce }: { introduce: () => boolean }) {
  const app = useApp()
  const reason = app.setupReason.value
  const { realm, server } = app.model
  return (
    <header class="setup-head">
      <h1>{words.setup.title}</h1>
      {reason.kind === 'none' && (
        <p class="setup-reason">
          <button type="button" data-testid="back-to-start" onClick={() => app.showStart()}>
            {words.setup.toStart}
          </button>
        </p>
      )}
      {reason.kind === 'chosen' && realm && (
        <p class="setup-reason">
          <span class="quiet">{words.setup.chosen}</span>{' '}
          <button type="button" data-testid="back-to-realm" onClick={() => introduce() && app.enter()}>
            {words.setup.back(realm.world.realm.name)}
          </button>
        </p>
      )}
      {server?.gamePhase === 'analyzing' && (
        <p class="setup-reason" role="status">
          {words.setup.analyzing}
        </p>
      )}
      {reason.kind === 'nowhere' && (
        <p class="setup-reason notice" role="status" data-testid="nowhere">
          {viewerWords.nowhere}
        </p>
      )}
      {reason.kind === 'gone' && (
        <p class="setup-reason notice" role="status" data-testid="gone">
          {words.setup.gone(reason.name)}
        </p>
      )}
    </header>
  )
}
