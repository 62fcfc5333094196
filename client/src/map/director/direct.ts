// Decides what the director's camera shows, and why. Pure: candidates and the time are parameters.

/** Why a scene is shown. */
export interface Why {
  /**
   * rest: nobody is at work, so the whole country is shown. follows: a person chose to follow the hero. left: the hero
   * that a person follows is not on the map any more. stands: the hero has just read the file. comes: the
   * hero walks to a file. asked: a person has to answer, whose name stands in place of the hero's. speaks, walks: the
   * hero is at no file. idle: the shown hero has nothing to do any more; no candidate has this reason.
   */
  kind:
    | 'follows'
    | 'left'
    | 'door'
    | 'found'
    | 'argues'
    | 'reads'
    | 'edits'
    | 'stands'
    | 'comes'
    | 'speaks'
    | 'works'
    | 'asked'
    | 'walks'
    | 'idle'
    | 'rest'
  /** The name of the hero; '' for none. */
  name: string
  /** The file that the scene line names; '' for none. */
  file: string
}

/** A scene that the director could show. */
export interface Candidate {
  /** Identifies what the scene shows. A hero has the same key wherever it goes. */
  key: string
  /** The room and its page; null for the country. */
  place: { path: string; page: number } | null
  /** The hero that the camera follows; '' if the camera shows the whole country. */
  hero: string
  why: Why
  /** Whether the hero has found something critical or high. */
  severe?: boolean
}

/** A hero that the map draws, and where. */
export interface Drawn {
  id: string
  /** The folder of the room; null in the country. */
  room: string | null
  page: number
}

export interface Shot extends Candidate {
  since: number
  /** The time at which the shown hero stopped being a candidate; 0 while the hero is a candidate. */
  gone: number
}

export interface Direction {
  shot: Shot | null
  /** When each scene was last shown, by key; at most MAX_SEEN entries. */
  seen: ReadonlyMap<string, number>
}

export const NOTHING: Direction = { shot: null, seen: new Map() }

/** The importance of each reason; higher is more important. */
const RANK: Record<Why['kind'], number> = {
  follows: 11,
  left: 11,
  door: 10,
  found: 9,
  argues: 8,
  reads: 7,
  edits: 7,
  stands: 6,
  comes: 5,
  speaks: 4,
  works: 3,
  asked: 2,
  walks: 1,
  idle: 0,
  rest: 0,
}

/** The minimum time for which the director shows a scene, in milliseconds. */
const LEAST_MS = 3_000
/** The time after which a scene is replaced by another scene of the same importance, in milliseconds. */
const LONG_MS = 9_000
/** After this time without a candidate the whole country is shown, in milliseconds. */
const REST_MS = 4_000
const MAX_SEEN = 200

/** What a severe finding adds to the importance of its scene: less than the difference of two reasons. */
const SEVERE = 0.5

function rank({ why, severe }: Candidate): number {
  return RANK[why.kind] + (severe ? SEVERE : 0)
}

/**
 * Returns the next direction (what is shown, since when, and what was shown before); d itself if nothing changes.
 * heroes: the heroes that are drawn; undefined if that is not known.
 */
export function direct(d: Direction, all: readonly Candidate[], now: number, heroes?: readonly Drawn[]): Direction {
  const { shot } = d
  const best = choose(all, d.seen, shot?.key)
  if (!shot) return best ? begin(d, best, now) : d
  const still = all.find((c) => c.key === shot.key)
  const away = !still && best?.why.kind !== 'rest' && heroes !== undefined && !isIn(shot, heroes)
  const age = now - shot.since
  const over = best && best.key !== shot.key && (away || age >= least(best, still, shot.gone, now))
  if (over) return begin(d, best, now)
  if (!still) return withoutWork(d, shot, best, now)
  return same(still, shot) && shot.gone === 0 ? d : { ...d, shot: { ...still, since: shot.since, gone: 0 } }
}

/** Whether the shown hero is drawn in the shown place; a shot without a hero has left nobody. */
function isIn({ hero, place }: Shot, heroes: readonly Drawn[]): boolean {
  if (hero === '') return true
  const h = heroes.find((x) => x.id === hero)
  return h !== undefined && h.room === (place?.path ?? null) && (place === null || h.page === place.page)
}

/** The scene of a hero that has stopped being a candidate: the camera stays, and the reason says that it is idle. */
function withoutWork(d: Direction, shot: Shot, best: Candidate | null, now: number): Direction {
  const { name } = shot.why
  const rests = best?.why.kind === 'rest'
  const kind = rests ? 'rest' : shot.hero === '' ? shot.why.kind : 'idle'
  if (shot.gone && kind === shot.why.kind) return d
  return { ...d, shot: { ...shot, why: { kind, name, file: '' }, gone: shot.gone || now } }
}

/**
 * Returns how long the current scene must have been shown before `best` replaces it. still: the current scene, if it is
 * still a candidate. gone: the time at which it stopped being a candidate; 0 if it stops being one now.
 */
function least(best: Candidate, still: Candidate | undefined, gone: number, now: number): number {
  if (RANK[best.why.kind] === RANK.follows) return 0
  if (!still) return best.why.kind === 'rest' && now - (gone || now) < REST_MS ? Infinity : LEAST_MS
  return rank(best) > rank(still) ? LEAST_MS : LONG_MS
}

/**
 * The most important candidate. If several are equally important, the one that was not shown for the longest time.
 */
function choose(all: readonly Candidate[], seen: ReadonlyMap<string, number>, now?: string): Candidate | null {
  const at = (c: Candidate): number => (c.key === now ? Infinity : (seen.get(c.key) ?? -1))
  return all.reduce<Candidate | null>((a, b) => {
    if (a === null) return b
    const more = rank(b) - rank(a)
    return more > 0 || (more === 0 && at(b) < at(a)) ? b : a
  }, null)
}

function begin(d: Direction, c: Candidate, now: number): Direction {
  const seen = new Map(d.seen)
  if (d.shot) {
    seen.delete(d.shot.key)
    seen.set(d.shot.key, now)
  }
  while (seen.size > MAX_SEEN) seen.delete(seen.keys().next().value!)
  return { shot: { ...c, since: now, gone: 0 }, seen }
}

function same(a: Candidate, b: Candidate): boolean {
  return (
    a.hero === b.hero &&
    a.place?.path === b.place?.path &&
    a.place?.page === b.place?.page &&
    a.why.kind === b.why.kind &&
    a.why.name === b.why.name &&
    a.why.file === b.why.file &&
    a.severe === b.severe
  )
}
