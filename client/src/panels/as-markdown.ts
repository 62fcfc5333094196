// The result of a process as one Markdown text. Pure.
import type { Artifact } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { collected, saidIn } from '../state/results'
import { words } from '../words'
import { artifactAuthor, artifactName } from './artifact-author'
import { stageName } from './stage-name'

/** The result of the current process; if it has none, what was said. */
export function asMarkdown(realm: RealmModel): string {
  const p = realm.world.processState
  const problem = [`**${words.completion.problem}:** ${p.problemStatement}`, '']
  const said = saidIn(realm, p.conversationId).flatMap((m) => [`**${m.name}:**`, '', m.content, ''])
  const artifacts = collected(realm)
  return written(
    realm,
    p.template?.name ?? words.game,
    artifacts.length > 0 ? problem : [...problem, ...said],
    artifacts,
  )
}

/** The result of an earlier process. Its problem is not in the world. */
export function earlierAsMarkdown(realm: RealmModel, name: string, artifacts: readonly Artifact[]): string {
  return written(realm, name, [], artifacts)
}

function written(realm: RealmModel, name: string, before: string[], artifacts: readonly Artifact[]): string {
  const body = artifacts.flatMap((a) => {
    const by = [stageName(realm.world.processState.template, a.stageId), artifactAuthor(realm, a)]
    return [`## ${artifactName(a)}`, '', `_${by.filter(Boolean).join(', ')}_`, '', a.text, '']
  })
  return [`# ${name}: ${realm.world.realm.name}`, '', ...before, ...body].join('\n')
}
