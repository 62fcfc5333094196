// The screen of a completed process: its artifacts, and what can be done next.
import type { RealmModel } from '../state/model'
import { countStanding } from '../state/findings'
import { words } from '../words'
import { useApp } from './context'
import { ArtifactCard } from './artifact-card'
import { asMarkdown, collected } from './as-markdown'
import { CopyButton } from './copy-button'
import { ExportLinks } from './export'
import { StateMark } from './state-mark'

export function Completion({
  realm,
  onKeepReading,
  onNew,
}: {
  realm: RealmModel
  onKeepReading: () => void
  onNew: () => void
}) {
  const app = useApp()
  const list = collected(realm)
  const p = realm.world.processState
  return (
    <section class="completion scroll" data-testid="completion" tabIndex={0} aria-label={words.completion.title}>
      <div class="completion-body">
        <header>
          <StateMark state="done" />
          <div>
            <h2>{words.completion.title}</h2>
            <p class="quiet">
              {p.template?.name} · {words.completion.text(list.length, countStanding(realm.world.findings))}
            </p>
          </div>
        </header>
        <p class="problem">{p.problemStatement}</p>
        <div class="buttons">
          <button type="button" class="primary" data-testid="keep-reading" onClick={onKeepReading}>
            {words.completion.reading}
          </button>
          <CopyButton text={() => asMarkdown(realm)} label={words.completion.copy} testid="copy-markdown" primary />
          {app.host.value && (
            <button type="button" data-testid="new-process" onClick={onNew}>
              {words.completion.again}
            </button>
          )}
        </div>
        <ExportLinks realmId={realm.id} />
        {list.length > 0 && <h3 class="visually-hidden">{words.artifacts.title}</h3>}
        {[...list].reverse().map((a, i) => (
          <ArtifactCard key={a.id} artifact={a} realm={realm} open={i === 0} />
        ))}
      </div>
    </section>
  )
}
