// The stage of a process in which its findings come. Pure.
import type { ProcessState } from '../net/protocol.gen'

/**
 * The index of the first stage that hands over findings, which is a stage with "findings" in the name of an artifact;
 * -1 if no stage does, or if no process is under way.
 */
export function findingStage({ status, template }: ProcessState): number {
  if (status === 'idle' || status === 'completed') return -1
  return template?.stages.findIndex((s) => s.artifacts.some((a) => a.name.includes('findings'))) ?? -1
}
