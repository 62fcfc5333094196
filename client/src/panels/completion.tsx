// The screen of a process that has ended, the current or an earlier one: its last artifact, and the next steps.
import { useMemo } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { filterFindings, noFilter, ofProcess } from '../state/findings'
import { headOf } from '../state/conversations'
import { artifactsOf, overtaken } from '../state/results'
import { folderSet } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { asMarkdown, earlierAsMarkdown } from './as-markdown'
import { ArtifactCard } from './artifact-card'
import { CompletionButtons } from './completion-buttons'
import { CompletionHead } from './completion-head'
import { ExportLinks } from './export'
import { NoResult } from './no-result'

export function Completion({
  realm,
  processId,
  onMap,
  onTab,
  onNew,
}: {
  realm: RealmModel
  /** The conversation of the process. */
  processId: string
  onMap: () => void
  onTab: (tab: 'findings' | 'artifacts') => void
  onNew: () => void
}) {
  const app = useApp()
  const list = artifactsOf(realm, processId)
  const last = list.at(-1)
  const { findings, mapTree, processState: p } = realm.world
  const current = processId === p.conversationId
  const name = (current && p.template?.name) || headOf(realm, processId)?.title || words.artifacts.earlier
  const own = useMemo(() => ofProcess(findings, processId), [findings, processId])
  const first = useMemo(() => filterFindings(own, noFilter(), folderSet(mapTree))[0], [own, mapTree])
  const review = own.length > 0 || list.some((a) => a.coverage)
  const late = overtaken(realm, processId)
  const toFinding = (id: string) => {
    app.showFinding(id)
    onTab('findings')
  }
  return (
    <section class="completion scroll" data-testid="completion" tabIndex={0} aria-label={words.completion.title}>
      <div class="completion-body">
        <CompletionHead
          realm={realm}
          processId={processId}
          name={name}
          own={review && !late ? own : null}
          overtaken={late}
        />
        <CompletionButtons
          markdown={() => (current ? asMarkdown(realm) : earlierAsMarkdown(realm, name, list))}
          first={first}
          onFinding={toFinding}
          onMap={onMap}
          onNew={p.status === 'completed' ? onNew : null}
        />
        <ExportLinks
          realmId={realm.id}
          map={current && review && !!realm.world.realm.path}
          findings={review && !late}
          processId={current && review ? '' : processId}
        />
        {!last && <NoResult realm={realm} processId={processId} />}
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
