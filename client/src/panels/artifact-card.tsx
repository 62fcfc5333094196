// An artifact with its author and its text.
import { untracked } from '@preact/signals'
import { useCallback } from 'preact/hooks'
import type { Artifact } from '../net/protocol.gen'
import { kinds } from '../kinds/kinds'
import type { RealmModel } from '../state/model'
import { folderSet } from '../state/select'
import { clock, facts, words } from '../words'
import { artifactAuthor, artifactName } from './artifact-author'
import { CopyButton } from './copy-button'
import { FileNames } from './markdown/file-names'
import { FOLD, Markdown } from './markdown/markdown'
import { stageName } from './stage-name'
import { useSelect } from './use-select'

/** The number of characters of an artifact's text that are shown before the person opens the artifact. */
const PREVIEW = 700

/** open: whether the whole text is shown at first. */
export function ArtifactCard({ artifact: a, realm, open }: { artifact: Artifact; realm: RealmModel; open?: boolean }) {
  const folders = useCallback(() => untracked(() => folderSet(realm.world.mapTree)), [realm])
  const author = useSelect(() => artifactAuthor(realm, a), [realm, a])
  return (
    <article class="artifact" data-testid="artifact" data-artifact={a.name}>
      <header>
        <h4>{artifactName(a)}</h4>
        <CopyButton text={() => a.text} label={words.artifacts.copy} />
      </header>
      <p class="quiet meta">
        {facts([
          stageName(realm.world.processState.template, a.stageId),
          author && words.artifacts.by(author),
          clock(a.at),
        ])}
      </p>
      <div class="text parchment markdown">
        {a.text ? (
          <FileNames.Provider value={folders}>
            <Markdown text={a.text} limit={open ? FOLD : PREVIEW} />
          </FileNames.Provider>
        ) : (
          <span class="quiet">{words.artifacts.none}</span>
        )}
      </div>
      {a.cut && <p class="quiet">{words.artifacts.cut}</p>}
      {kinds().map((k) => k.ArtifactLink && <k.ArtifactLink key={k.name} realm={realm} artifact={a} />)}
    </article>
  )
}
