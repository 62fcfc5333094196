// The scenes that the director could show now: a hero that waits for a permission, finds something, argues, reads,
// speaks or walks. Pure.
import type { Agent } from '../../net/protocol.gen'
import { isAtFile } from '../../state/agent-file'
import { heroesOf } from '../../state/heroes'
import type { RealmModel } from '../../state/model'
import { isHeld } from '../../state/roster'
import type { Candidate, Drawn, Why } from './direct'
import { isAt, type Found } from './news'

/** A hero and where the map draws it. */
export interface Standing extends Drawn {
  name: string
  /** The file at which the hero stands or to which it walks; '' for none. */
  file: string
  walking: boolean
  /** Whether the hero has a speech bubble. */
  speaks: boolean
  /**
   * Whether the map shows the hero now: its place is drawn, the hero is within the screen, and it is large enough to be
   * recognised.
   */
  inView: boolean
}

/** The hero that a person follows. name: the name to show if the hero is not on the map any more. */
export interface Followed {
  id: string
  name: string
}

const REST: Candidate = { key: 'rest', place: null, hero: '', why: { kind: 'rest', name: '', file: '' } }

/**
 * Returns the candidates. found: for each hero that has just found something, the newest of its worst findings.
 * following: the hero that a person follows, which is then the only candidate; null if no hero is followed. lately: the
 * heroes that have worked or walked in the last seconds; any other hero that only stands at a file is no scene.
 */
export function candidates(
  r: Pick<RealmModel, 'world'>,
  heroes: readonly Standing[],
  found: ReadonlyMap<string, Found>,
  following: Followed | null,
  lately: ReadonlySet<string> = new Set(),
): Candidate[] {
  const busy = r.world.processState.status === 'running'
  const known = new Map(heroesOf(r.world).map((a) => [a.id, a]))
  if (following !== null) {
    const h = heroes.find((x) => x.id === following.id)
    if (h) return [candidate(h, 'follows', h.walking ? '' : h.file)]
    return [{ key: following.id, place: null, hero: '', why: { kind: 'left', name: following.name, file: '' } }]
  }
  const cast = r.world.processState.cast.filter((c) => c.kind === 'human')
  const people = new Map(cast.map((c) => [c.memberId, c.name]))
  const out = heroes.flatMap((h) => {
    const a = known.get(h.id)
    const person = people.get(h.id)
    const kind = a && kindOf(h, a, { found, busy, lately, person: person !== undefined })
    if (!kind) return []
    if (kind === 'asked') return [candidate({ ...h, name: person ?? h.name }, kind, '')]
    const news = kind === 'found' ? found.get(h.id) : undefined
    const c = candidate(h, kind, news ? (isAt(h, news) ? news.path : '') : h.file)
    return [news?.severe ? { ...c, severe: true } : c]
  })
  return [...out, REST]
}

function candidate(h: Standing, kind: Why['kind'], file: string): Candidate {
  const place = h.room === null ? null : { path: h.room, page: h.page }
  return { key: h.id, place, hero: h.id, why: { kind, name: h.name, file } }
}

/** The heroes that work, or that the map still shows on the way to a file: see Lately. */
export function busyHeroes({ world }: Pick<RealmModel, 'world'>, heroes: readonly Standing[]) {
  const running = new Set(world.agents.flatMap((a) => (a.status === 'running' ? [a.id] : [])))
  return heroes.map((h) => ({ id: h.id, busy: running.has(h.id) || (h.walking && h.file !== '') }))
}

interface Known {
  found: ReadonlyMap<string, Found>
  lately: ReadonlySet<string>
  /** Whether a process runs. */
  busy: boolean
  /** Whether a person plays the hero. */
  person: boolean
}

function kindOf(h: Standing, a: Agent, known: Known): Why['kind'] | null {
  if (isHeld(a)) return 'door'
  const runs = a.status === 'running'
  const news = known.found.get(h.id)
  if (news?.severe) return 'found'
  if (h.walking) return !runs && !known.busy ? null : h.file === '' ? 'walks' : 'comes'
  if (news) return 'found'
  if (known.person && runs) return 'asked'
  if (h.speaks && a.activity === 'conversing') return 'argues'
  return standing(h, a, known)
}

/** Why a hero that stands is a scene. A coding agent may have come to the file long ago and run something else now. */
function standing(h: Standing, a: Agent, { busy, lately }: Known): Why['kind'] | null {
  const runs = a.status === 'running'
  const atFile = h.room !== null && h.file !== ''
  if (atFile && runs && a.state) return !isAtFile(a.state) ? 'works' : a.state.edits ? 'edits' : 'reads'
  // The map can show a hero at the file before the one that it reads, and must not say that it reads that.
  if (atFile && runs) return (a.walk?.target ?? h.file) === h.file ? 'reads' : 'stands'
  if (atFile && busy && lately.has(h.id)) return 'stands'
  if (h.speaks) return 'speaks'
  return runs ? 'works' : null
}
