// What realm:restored said, with what the world held at that moment. Pure.
import type { RealmRestored } from '../net/protocol.gen'
import { holding } from './board'
import type { RealmModel, Restored } from './model'
import { inOrderOfTime } from './time'

/** before: the realm's conversations as they were shown. */
export function restoredOf(r: RealmModel, before: RealmModel['views'], ev: RealmRestored): Restored {
  const p = r.world.processState
  const changed = Object.values(before).map((v) => v.updatedAt)
  return {
    event: ev,
    stageIndex: p.currentStageIndex,
    stages: p.template?.stages.length ?? 0,
    findings: holding(r.world.findings),
    savedAt: ev.since ?? changed.toSorted(inOrderOfTime).at(-1) ?? null,
    process: p.status,
  }
}
