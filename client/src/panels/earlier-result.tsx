// The result of an earlier process, folded: its name and time, then its artifacts, the last one first.
import { headOf } from '../state/conversations'
import type { RealmModel } from '../state/model'
import { looked, overtaken, type Result } from '../state/results'
import { moment, words } from '../words'
import { ArtifactCard } from './artifact-card'
import { earlierAsMarkdown } from './as-markdown'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { ExportLinks } from './export'

export function EarlierResult({ realm, result: { processId, artifacts } }: { realm: RealmModel; result: Result }) {
  const app = useApp()
  const talk = headOf(realm, processId)
  const name = talk?.title || words.artifacts.earlier
  const last = artifacts.at(-1)
  return (
    <details class="earlier-result" data-testid={`earlier-${processId}`}>
      <summary>
        {name} {last && <time class="quiet">{moment(last.at)}</time>}
      </summary>
      <div class="buttons">
        {talk && (
          <button type="button" class="small" onClick={() => app.conversations.choose(processId)}>
            {words.artifacts.toTalk}
          </button>
        )}
        <CopyButton
          text={() => earlierAsMarkdown(realm, name, artifacts)}
          label={words.completion.copy}
          look="small"
          testid="earlier-copy"
        />
      </div>
      {processId !== '' && (
        <ExportLinks
          realmId={realm.id}
          processId={processId}
          map={false}
          findings={looked(realm, processId) && !overtaken(realm, processId)}
        />
      )}
      {[...artifacts].reverse().map((a) => (
        <ArtifactCard key={a.id} artifact={a} realm={realm} />
      ))}
    </details>
  )
}
