// The text of the line after a restart. Pure.
import type { Restored } from '../state/model'
import { clock, join, words } from '../words'

/** messages: the number of rows that the realm had at the restart. */
export function restoredText(r: Restored, messages = 0): string {
  const w = words.restored
  const parts: string[] = []
  if (r.event.source === 'nothing') parts.push(w.clean)
  if (r.process !== 'idle' && r.stages > 0) parts.push(w.stage(r.stageIndex + 1, r.stages))
  if (messages > 0) parts.push(w.messages(messages))
  if (r.findings > 0) parts.push(w.findings(r.findings))
  if (r.event.interruptedRuns > 0) parts.push(w.cut(r.event.interruptedRuns, r.process === 'running'))
  if (parts.length === 0) parts.push(w.plain)
  if (r.savedAt && !older(r)) parts.push(w.saved(clock(r.savedAt)))
  const lines = [w.line(parts)]
  if (older(r) && r.event.since) lines.push(w.older(clock(r.event.since)))
  if (r.event.transcriptsLost && !r.event.salvage) lines.push(w.lost)
  const missing = r.event.missingMembers ?? []
  if (missing.length > 0) lines.push(w.missing(join(missing.map((x) => x.displayName || x.name))))
  return lines.join(' ')
}

/**
 * Whether the restore used an older state because the newest state file was unusable. With the source "state" the
 * newest state file was used, because the database was lost.
 */
function older(r: Restored): boolean {
  return r.event.source === 'previous' || r.event.source === 'base'
}
