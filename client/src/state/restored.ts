// Adds to the event realm:restored what the world had at that time: the stage, the number of findings, and when it
// last changed. Pure.
import type { RealmRestored } from '../net/protocol.gen'
import { countStanding } from './findings'
import type { RealmModel, Restored } from './model'
import { compareTimes } from './time'

/** before: the transcripts before the event. */
export function restoredOf(r: RealmModel, before: RealmModel['views'], ev: RealmRestored): Restored {
  const p = r.world.processState
  const changed = Object.values(before).map((v) => v.updatedAt)
  return {
    event: ev,
    stageIndex: p.currentStageIndex,
    stages: p.template?.stages.length ?? 0,
    findings: countStanding(r.world.findings),
    savedAt: ev.since ?? changed.toSorted(compareTimes).at(-1) ?? null,
    process: p.status,
  }
}
