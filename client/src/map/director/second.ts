// Decides which second scene the map shows in a small picture beside the main view. Pure: candidates and the time are
// parameters.
import type { Standing } from './candidates'
import type { Candidate, Why } from './direct'

export interface Second {
  scene: Candidate
  /** When this scene was first shown, in milliseconds. */
  since: number
}

/** The reasons for a second scene and their importance; higher is more important. */
const RANK: Partial<Record<Why['kind'], number>> = { door: 4, found: 3, argues: 2, follows: 1 }

/** The minimum time for which a second scene is shown, in milliseconds. */
const LEAST_MS = 4_000
/** The time after which a second scene is replaced by another one of the same importance, in milliseconds. */
const LONG_MS = 9_000

/**
 * Returns the next second scene; null for none, `was` itself if it does not change. If the main view shows the
 * second scene's hero too, the second scene ends at once.
 */
export function second(
  was: Second | null,
  all: readonly Candidate[],
  heroes: readonly Standing[],
  now: number,
): Second | null {
  const inView = new Set(heroes.filter((h) => h.inView).map((h) => h.id))
  const seen = was !== null && inView.has(was.scene.key)
  const left = all.filter((c) => rank(c) > 0 && !inView.has(c.key))
  const before = was === null || seen ? null : was
  const still = left.find((c) => c.key === before?.scene.key)
  const age = before ? now - before.since : Infinity
  const best = left.reduce<Candidate | null>((a, b) => (a === null || rank(b) > rank(a) ? b : a), null)
  const other = left.find((c) => c.key !== before?.scene.key && best !== null && rank(c) === rank(best)) ?? null
  if (!before) return best && { scene: best, since: now }
  if (age < LEAST_MS) return still ? same(before, still) : before
  if (!still) return best && { scene: best, since: now }
  const over = other !== null && (rank(other) > rank(still) || age >= LONG_MS)
  return over ? { scene: other, since: now } : same(before, still)
}

function rank(c: Candidate): number {
  return RANK[c.why.kind] ?? 0
}

/** Returns the second scene with the newest facts about its hero; `was` itself if none has changed. */
function same(was: Second, scene: Candidate): Second {
  const key = ({ place, why }: Candidate): string => JSON.stringify([place, why])
  return key(was.scene) === key(scene) ? was : { ...was, scene }
}
