// The result of a process as one Markdown text. Pure.
import type { Artifact } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { title, words } from '../words'
import { stageName } from './stage-name'

/** The artifacts that the process collected, in the order of its stages. */
export function collected(realm: RealmModel): Artifact[] {
  const ids = new Set(Object.values(realm.world.processState.collectedArtifacts).flat())
  return realm.world.artifacts.filter((a) => ids.has(a.id))
}

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
    `_${stageName(realm.world.processState.template, a.stageId)}${a.agentId ? `, ${nameOf(realm, a.agentId)}` : ''}_`,
    '',
    a.text,
    '',
  ])
  return [...head, ...body].join('\n')
}
