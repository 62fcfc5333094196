// What the stages leave behind, to read and to take along.
import type { Artifact } from '../net/protocol.gen'
import { kinds } from '../kinds/kinds'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { clock, title, words } from '../words'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { ExportLinks } from './export'
import { Markdown } from './markdown'

export function Artifacts() {
  const { realm } = useApp().model.value
  if (!realm) return null
  const list = realm.world.artifacts
  return (
    <div class="artifacts scroll" tabIndex={0} role="group" aria-label={words.artifacts.title}>
      {kinds().map((k) => k.Products && <k.Products key={k.name} realm={realm} />)}
      <h3>{words.artifacts.ofStages}</h3>
      {list.length === 0 && (
        <p class="quiet">
          {words.artifacts.empty} {words.artifacts.emptyNext}
        </p>
      )}
      {realm.world.processState.status === 'completed' && list.length > 0 && <ExportLinks realmId={realm.id} />}
      {[...list].reverse().map((a) => (
        <ArtifactCard key={a.id} artifact={a} realm={realm} />
      ))}
    </div>
  )
}

/** What of an artifact is shown before it is opened, in characters. */
const PREVIEW = 700

export function ArtifactCard({ artifact: a, realm }: { artifact: Artifact; realm: RealmModel }) {
  return (
    <article class="artifact" data-testid="artifact" data-artifact={a.name}>
      <header>
        <h4>{title(a.name)}</h4>
        <CopyButton text={() => a.text} label={words.artifacts.copy} />
      </header>
      <p class="quiet meta">
        {stageName(realm, a.stageId)}
        {a.agentId && ` · ${words.artifacts.by(nameOf(realm, a.agentId))}`} · {clock(a.at)}
      </p>
      <div class="text parchment markdown">
        {a.text ? <Markdown text={a.text} limit={PREVIEW} /> : <span class="quiet">{words.artifacts.none}</span>}
      </div>
      {a.cut && <p class="quiet">{words.artifacts.cut}</p>}
      {kinds().map((k) => k.OfArtifact && <k.OfArtifact key={k.name} realm={realm} artifact={a} />)}
    </article>
  )
}

function stageName(realm: RealmModel, id: string): string {
  return realm.world.processState.template?.stages.find((s) => s.id === id)?.name ?? title(id)
}

/** The artifacts that the process collected, in the order of its stages. */
export function collected(realm: RealmModel): Artifact[] {
  const ids = new Set(Object.values(realm.world.processState.collectedArtifacts).flat())
  return realm.world.artifacts.filter((a) => ids.has(a.id))
}

/** All artifacts as one Markdown text. */
export function asMarkdown(realm: RealmModel): string {
  const p = realm.world.processState
  const head = [
    `# ${p.template?.name ?? words.game}: ${realm.world.realm.name}`,
    '',
    `**${words.completion.problem}:** ${p.problemStatement}`,
    '',
  ]
  const body = collected(realm).flatMap((a) => [
    `## ${title(a.name)}`,
    '',
    `_${stageName(realm, a.stageId)}${a.agentId ? `, ${nameOf(realm, a.agentId)}` : ''}_`,
    '',
    a.text,
    '',
  ])
  return [...head, ...body].join('\n')
}
