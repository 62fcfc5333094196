// What happened that a person wants to be told of, from two looks at the page's state. Pure.
import type { Model } from '../state/model'
import { isOpen } from '../state/doors'
import { myAsks } from '../state/select'

export type Alert = 'door' | 'turn' | 'done' | 'critical' | 'lost'

/** What one look at the state saw. */
export interface Look {
  realmId: string
  /** Ids of what waits, or is there, by the alert that its coming causes. */
  door: readonly string[]
  turn: readonly string[]
  done: readonly string[]
  critical: readonly string[]
  lost: readonly string[]
}

const ALERTS = ['lost', 'door', 'turn', 'critical', 'done'] as const

/** lost: whether the server has not answered for some time. */
export function look(m: Model, lost: boolean): Look {
  const w = m.realm?.world
  const p = w?.processState
  return {
    realmId: m.realm?.id ?? '',
    door: (w?.doors ?? []).filter(isOpen).map((d) => d.doorId),
    turn: myAsks(m).map((a) => a.requestId),
    done: p?.status === 'completed' ? [p.conversationId] : [],
    critical: (w?.findings ?? []).filter((f) => f.severity === 'critical' && !f.withdrawn).map((f) => f.id),
    lost: lost ? ['lost'] : [],
  }
}

/** What came between two looks, the most pressing first. What was there when a realm was entered is no news. */
export function happened(before: Look, now: Look): Alert[] {
  if (before.realmId !== now.realmId) return []
  return ALERTS.filter((alert) => now[alert].some((id) => !before[alert].includes(id)))
}
