// Who answers the first questions of people in a realm. Pure.
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

/**
 * The agent to whom words outside of any conversation go: the guide, while nobody else is there to hear them and no
 * process runs.
 */
export function listenerOf(m: Model): Agent | null {
  const me = m.me?.spectatorId
  const alone = m.spectators.list.every((s) => s.spectatorId === me) && m.spectators.count <= 1
  const focused = m.realm?.world.focus.some((f) => f.spectatorId === me) ?? true
  return alone && !focused && m.realm?.world.processState.conversationId === '' ? guideOf(m) : null
}
