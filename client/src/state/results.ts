// The artifacts of the realm, grouped by the process that produced them. Pure.
import type { Artifact, Message } from '../net/protocol.gen'
import type { RealmModel } from './model'

/** The artifacts of one process, in the order of its stages. */
export interface Result {
  /** The conversation of the process; "" if the artifacts are of an older version, which did not store it. */
  processId: string
  artifacts: Artifact[]
}

/** The artifacts that the current process collected, in the order of its stages. */
export function collected(realm: RealmModel): Artifact[] {
  const ids = new Set(Object.values(realm.world.processState.collectedArtifacts).flat())
  return realm.world.artifacts.filter((a) => ids.has(a.id))
}

/** The results of earlier processes, the newest first. */
export function earlierResults(realm: RealmModel): Result[] {
  const current = new Set(collected(realm))
  const results = new Map<string, Artifact[]>()
  for (const a of realm.world.artifacts) {
    if (current.has(a)) continue
    const of = a.processId ?? ''
    const list = results.get(of)
    if (list) list.push(a)
    else results.set(of, [a])
  }
  return [...results].map(([processId, artifacts]) => ({ processId, artifacts })).reverse()
}

/** The artifacts of the current or an earlier process, in the order of its stages. */
export function artifactsOf(realm: RealmModel, processId: string): Artifact[] {
  const { artifacts, processState: p } = realm.world
  return p.conversationId === processId ? collected(realm) : artifacts.filter((a) => a.processId === processId)
}

/** What people and agents said in a process that has looked for no findings, as far as the page has it. */
export function saidIn(realm: RealmModel, processId: string): Message[] {
  if (looked(realm, processId)) return []
  return (realm.views[processId]?.messages ?? []).filter((m) => m.content !== '' && /user|assistant/.test(m.role))
}

/** Whether the page can show a result of the process: it is completed or, if it is an earlier one, has artifacts. */
export function hasResult(realm: RealmModel, processId: string): boolean {
  const p = realm.world.processState
  if (p.conversationId === processId) return p.status === 'completed'
  return processId !== '' && artifactsOf(realm, processId).length > 0
}

/** Whether a process has looked for findings: it says what it has read, or has found something. */
export function looked({ world }: RealmModel, processId: string): boolean {
  return (
    world.findings.some((f) => f.processId === processId) ||
    world.artifacts.some((a) => a.coverage && a.processId === processId)
  )
}

/** Whether a later review has taken over the findings of a review: it posts those that still stand as its own. */
export function overtaken({ world: { artifacts, findings } }: RealmModel, processId: string): boolean {
  const looked = artifacts.findLast((a) => a.coverage && a.processId === processId)?.at
  if (looked === undefined) return false
  const later = (of: { processId?: string; at: string }) =>
    !!of.processId && of.processId !== processId && of.at > looked
  return artifacts.some((a) => a.coverage && later(a)) || findings.some(later)
}

/** Whether the realm has findings, or its current process has looked for some. */
export function reviewed(realm: RealmModel): boolean {
  return realm.world.findings.length > 0 || collected(realm).some((a) => a.coverage)
}
