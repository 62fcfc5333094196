// The screen of a completed process: its last artifact, and the next steps that a person can take.
import { useMemo } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { countIn, countStanding, filterFindings, noFilter, ofProcess } from '../state/findings'
import { collected } from '../state/results'
import { folderSet, processView } from '../state/select'
import { facts, words } from '../words'
import { useApp } from './context'
import { ArtifactCard } from './artifact-card'
import { CompletionButtons } from './completion-buttons'
import { CopyLink } from './copy-link'
import { ExportLinks } from './export'
import { NoResult } from './no-result'
import { StateMark } from './state-mark'

export function Completion({
  realm,
  onMap,
  onTab,
  onNew,
}: {
  realm: RealmModel
  onMap: () => void
  onTab: (tab: 'findings' | 'artifacts') => void
  onNew: () => void
}) {
  const app = useApp()
  const list = collected(realm)
  const last = list.at(-1)
  const { findings, mapTree, processState: p } = realm.world
  const own = useMemo(() => ofProcess(findings, p.conversationId), [findings, p.conversationId])
  const first = useMemo(() => filterFindings(own, noFilter(), folderSet(mapTree))[0], [own, mapTree])
  const review = own.length > 0 || list.some((a) => a.coverage)
  const toFinding = (id: string) => {
    app.showFinding(id)
    onTab('findings')
  }
  return (
    <section class="completion scroll" data-testid="completion" tabIndex={0} aria-label={words.completion.title}>
      <div class="completion-body">
        <header>
          <StateMark state={p.early ? 'interrupted' : 'done'} />
          <div>
            <h2>{p.early ? words.stage.ended : words.completion.title}</h2>
            <p class="quiet">
              {facts([
                p.template?.name,
                p.early && (processView(realm)?.reason ?? '').replace(/\.$/, ''),
                review && words.completion.text(countStanding(own), countIn(own, 'suspected')),
              ])}
            </p>
          </div>
          <CopyLink
            to={{ kind: 'result', realmId: realm.id, id: p.conversationId }}
            label={words.completion.copyLink}
            testid="copy-result-link"
          />
        </header>
        <CompletionButtons realm={realm} first={first} onFinding={toFinding} onMap={onMap} onNew={onNew} />
        <ExportLinks
          realmId={realm.id}
          map={review && !!realm.world.realm.path}
          findings={review}
          processId={review ? '' : p.conversationId}
        />
        {!last && <NoResult processId={p.conversationId} />}
        {last && (
          <>
            <h3 class="visually-hidden">{words.artifacts.title}</h3>
            <ArtifactCard artifact={last} realm={realm} open />
          </>
        )}
        {list.length > 1 && (
          <div class="buttons">
            <button type="button" data-testid="more-artifacts" onClick={() => onTab('artifacts')}>
              {words.completion.others(list.length - 1)}
            </button>
          </div>
        )}
      </div>
    </section>
  )
}
