// Compares two summaries of the page's state and tells which alerts are due. Pure.
import type { Model } from '../state/model'
import { isOpen } from '../state/doors'
import { askingElsewhere } from '../state/roster'
import { myAsks } from '../state/select'

export type Alert = 'door' | 'turn' | 'done' | 'critical' | 'lost'

/** The part of the page's state that alerts depend on. */
export interface Look {
  realmId: string
  /** For each alert the ids of what causes it: open questions of agents, turns of this person, and so on. */
  door: readonly string[]
  turn: readonly string[]
  done: readonly string[]
  critical: readonly string[]
  lost: readonly string[]
}

const ALERTS = ['lost', 'door', 'turn', 'critical', 'done'] as const

/** Summarizes the state. lost: whether the server has not answered for some time. */
export function look(m: Model, lost: boolean): Look {
  const w = m.realm?.world
  const p = w?.processState
  return {
    realmId: m.realm?.id ?? '',
    door: [
      ...(w?.doors ?? []).filter(isOpen).map((d) => d.doorId),
      ...askingElsewhere(m).map((a) => `${a.id} ${a.state?.reason}`),
    ],
    turn: myAsks(m).map((a) => a.requestId),
    done: p?.status === 'completed' && !p.early ? [p.conversationId] : [],
    critical: (w?.findings ?? []).filter((f) => f.severity === 'critical' && !f.withdrawn).map((f) => f.id),
    lost: lost ? ['lost'] : [],
  }
}

/**
 * The alerts that are due: those for which `now` has an id that `before` lacks, the most urgent first. Entering a
 * realm causes no alerts.
 */
export function happened(before: Look, now: Look): Alert[] {
  if (before.realmId !== now.realmId) return []
  return ALERTS.filter((alert) => now[alert].some((id) => !before[alert].includes(id)))
}
