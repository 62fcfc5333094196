// How many files the agents of the process have read, while they read for long. Pure.
import type { EventFrame, ProcessProgress } from '../net/protocol.gen'
import type { RealmModel } from './model'
import { processView } from './select'

/** Forgets how many files are read when another stage begins or the process ends. */
export function endReading(reading: ProcessProgress | null, { type }: EventFrame): ProcessProgress | null {
  return reading && ENDS.has(type) ? null : reading
}

const ENDS: ReadonlySet<EventFrame['type']> = new Set([
  'process:started',
  'process:stage_advanced',
  'process:stage_restarted',
  'process:completed',
] as const)

/** The number of files that the agents at work have read, and of how many; null if they do not read for long now. */
export function readingNow(r: RealmModel): { read: number; total: number } | null {
  const p = r.reading
  const view = processView(r)
  if (!p || p.total === 0 || p.conversationId !== view?.conversationId || view.activeRuns.length === 0) return null
  return { read: p.read, total: p.total }
}
