// What the stages leave behind, to read and to take along.
import type { Artifact } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { playable } from '../state/talks'
import { clock, title, words } from '../words'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { ExportLinks } from './export'
import { Markdown } from './markdown'
import { Skills } from './skills'

export function Artifacts() {
  const { realm } = useApp().model.value
  if (!realm) return null
  const list = realm.world.artifacts
  return (
    <div class="artifacts scroll" tabIndex={0} role="group" aria-label={words.artifacts.title}>
      <Skills realm={realm} />
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
      <AboutStage realm={realm} artifact={a} />
    </article>
  )
}

function stageName(realm: RealmModel, id: string): string {
  return realm.world.processState.template?.stages.find((s) => s.id === id)?.name ?? title(id)
}

/** A chat about a stage that is over: with whoever made its artifact, where something plays them. */
function AboutStage({ realm, artifact: a }: { realm: RealmModel; artifact: Artifact }) {
  const app = useApp()
  const p = realm.world.processState
  const at = p.template?.stages.findIndex((s) => s.id === a.stageId) ?? -1
  const stage = p.template?.stages[at]
  const agents = playable(app.model.value)
  const own = (p.collectedArtifacts[a.name] ?? []).includes(a.id)
  const agent = agents.find((x) => x.id === a.agentId) ?? agents.find((x) => stage?.roles.includes(x.id)) ?? agents[0]
  if (!app.host.value || !own || !stage || !agent || (p.status !== 'completed' && at >= p.currentStageIndex))
    return null
  return (
    <p>
      <button type="button" class="link" data-testid="talk-about" onClick={() => app.talks.talkTo(agent.id, stage.id)}>
        {words.chats.aboutStage}
      </button>
    </p>
  )
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
