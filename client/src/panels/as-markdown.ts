// The result of a process as one Markdown text. Pure.
import type { Artifact } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { collected } from '../state/results'
import { title, words } from '../words'
import { artifactAuthor } from './artifact-author'
import { stageName } from './stage-name'

/** The result of the current process. */
export function asMarkdown(realm: RealmModel): string {
  const p = realm.world.processState
  const problem = [`**${words.completion.problem}:** ${p.problemStatement}`, '']
  return written(realm, p.template?.name ?? words.game, problem, collected(realm))
}

/** The result of an earlier process. Its problem is not in the world. */
export function earlierAsMarkdown(realm: RealmModel, name: string, artifacts: readonly Artifact[]): string {
  return written(realm, name, [], artifacts)
}

function written(realm: RealmModel, name: string, problem: string[], artifacts: readonly Artifact[]): string {
  const body = artifacts.flatMap((a) => {
    const by = [stageName(realm.world.processState.template, a.stageId), artifactAuthor(realm, a)]
    return [`## ${title(a.name)}`, '', `_${by.filter(Boolean).join(', ')}_`, '', a.text, '']
  })
  return [`# ${name}: ${realm.world.realm.name}`, '', ...problem, ...body].join('\n')
}
