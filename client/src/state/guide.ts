// Who answers the first questions of people in a realm, and what there is to begin. Pure.
import type { TemplateInfo } from '../net/protocol.gen'
import { coverageOf } from './coverage'
import { playedCast, type Agent } from './conversations'
import type { Model } from './model'
import { linked } from './select'

/** The member of the code review that answers first, because it looks at what a newcomer is told. */
const GUIDE = 'bard'

/** The agent to ask about the linked folder; null if there is no folder, or nobody who could answer. */
export function guideOf(m: Model): Agent | null {
  if (m.realm === null || !linked(m.realm.world)) return null
  const { agents } = playedCast(m)
  return agents.find((a) => a.id === GUIDE) ?? agents[0] ?? null
}

/** Whether no process runs or is paused. One that has ended answers nobody. */
export function isQuiet(m: Model): boolean {
  const status = m.realm?.world.processState.status
  return status !== 'running' && status !== 'paused'
}

/**
 * The agent to whom words outside of any conversation go: the guide, while nobody else is there to hear them and no
 * process runs.
 */
export function listenerOf(m: Model): Agent | null {
  const me = m.me?.spectatorId
  const alone = m.spectators.list.every((s) => s.spectatorId === me) && m.spectators.count <= 1
  const focused = m.realm?.world.focus.some((f) => f.spectatorId === me) ?? true
  return alone && !focused && isQuiet(m) ? guideOf(m) : null
}

/** The review that scouts can play of a folder that nobody has reviewed; null if there is none to begin. */
export function reviewToStart(m: Model): TemplateInfo | null {
  const world = m.realm?.world
  if (!world || !linked(world) || !isQuiet(m)) return null
  if (coverageOf(world.artifacts) !== null || world.findings.some((f) => f.check)) return null
  return m.server?.templates.find((t) => t.driver === 'scout') ?? null
}
