// The artifacts tab: the artifacts of the process's stages, then those of earlier processes, then the products of each
// kind of conversation.
import { kinds } from '../kinds/kinds'
import type { RealmModel } from '../state/model'
import { collected, earlierResults, reviewed } from '../state/results'
import { words } from '../words'
import { artifactName } from './artifact-author'
import { ExportLinks } from './export'
import { BeginWork } from './begin-work'
import { EarlierResult } from './earlier-result'
import { Empty } from './empty'
import { ArtifactCard } from './artifact-card'

/**
 * result: whether the result of the process is shown beside the tab. Then the tab only names the result's artifact.
 */
export function Artifacts({ realm, result }: { realm: RealmModel; result: boolean }) {
  const [list, earlier] = [collected(realm), earlierResults(realm)]
  const none = list.length + earlier.length === 0
  const shown = result ? list.at(-1) : undefined
  return (
    <div class="artifacts scroll" tabIndex={0} role="group" aria-label={words.artifacts.title}>
      <h3>{words.artifacts.ofStages}</h3>
      {none && (
        <Empty text={words.artifacts.empty} next={words.artifacts.emptyNext}>
          <BeginWork realm={realm} any />
        </Empty>
      )}
      {realm.world.processState.status === 'completed' && !none && (
        <ExportLinks realmId={realm.id} map={!!realm.world.realm.path} findings={reviewed(realm)} />
      )}
      {[...list].reverse().map((a) =>
        a === shown ? (
          <p key={a.id} class="quiet">
            {words.artifacts.inResult(artifactName(a))}
          </p>
        ) : (
          <ArtifactCard key={a.id} artifact={a} realm={realm} />
        ),
      )}
      {earlier.map((r) => (
        <EarlierResult key={r.processId} realm={realm} result={r} />
      ))}
      {kinds().map((k) => k.Products && <k.Products key={k.name} realm={realm} />)}
    </div>
  )
}
