// The agent that answers questions about the realm, and the review that a person can start. Pure.
import type { TemplateInfo } from '../net/protocol.gen'
import { coverageOf } from './coverage'
import { playedCast, type Agent } from './conversations'
import type { Model } from './model'
import { hasProcess, linked } from './select'

/**
 * The member of the code review that answers questions about the repository. Its checks read what a newcomer reads,
 * such as the README.
 */
const GUIDE = 'bard'

/** The agent to ask about the linked folder; null without a folder, or if no agent can answer. */
export function guideOf(m: Model): Agent | null {
  if (m.realm === null || !linked(m.realm.world)) return null
  const { agents } = playedCast(m)
  return agents.find((a) => a.id === GUIDE) ?? agents[0] ?? null
}

/** Whether the realm has no process that runs or is paused. A process that has ended answers no messages. */
export function isQuiet(m: Model): boolean {
  return m.realm === null || !hasProcess(m.realm.world)
}

/**
 * The agent that gets messages outside of any conversation: the guide, while no other person watches, no process runs
 * or is paused, and the person has not chosen another agent by /focus.
 */
export function listenerOf(m: Model): Agent | null {
  const me = m.me?.spectatorId
  const alone = m.spectators.list.every((s) => s.spectatorId === me) && m.spectators.count <= 1
  const focused = m.realm?.world.focus.some((f) => f.spectatorId === me) ?? true
  return alone && !focused && isQuiet(m) ? guideOf(m) : null
}

/**
 * The template of the review that scouts can start; null if the folder was reviewed already or no review can start.
 */
export function reviewToStart(m: Model): TemplateInfo | null {
  const world = m.realm?.world
  if (!world || !linked(world) || !isQuiet(m)) return null
  if (coverageOf(world.artifacts) !== null || world.findings.some((f) => f.check)) return null
  return m.server?.templates.find((t) => t.driver === 'scout') ?? null
}
