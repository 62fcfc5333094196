// Remembers which heroes have found something in the last seconds, and in which file. The time is a parameter.
import type { Finding } from '../../net/protocol.gen'
import { RANK, stands } from '../../state/findings'
import { parent } from '../path'
import type { Drawn } from './direct'

/** How long a finding counts as new, in milliseconds. */
const NEWS_MS = 8_000
/**
 * How long a severe finding counts as new while its hero is on the way to its room, in milliseconds. The map shows
 * heroes later than the server moves them.
 */
const LATE_MS = 20_000

/** What a hero has just found. */
export interface Found {
  /** The file; '' for none. */
  path: string
  /** Whether the finding is critical or high. */
  severe: boolean
}

interface Entry extends Found {
  until: number
  /** Whether the map has shown the hero in the finding's room. */
  there: boolean
}

/** Whether the hero is in the room of the finding, or the finding has no file. */
export function isAt({ room }: Drawn, { path }: Found): boolean {
  return path === '' || room === parent(path)
}

export class News {
  #known: readonly Finding[]
  readonly #ids: Set<string>
  readonly #found = new Map<string, Entry>()

  /** findings: the findings that exist at the beginning. They do not count as new. */
  constructor(findings: readonly Finding[]) {
    this.#known = findings
    this.#ids = new Set(findings.map((f) => f.id))
  }

  /** For each hero with a new finding, the newest of its severe findings or, if it has none, of its findings. */
  take(findings: readonly Finding[], heroes: readonly Drawn[], now: number): ReadonlyMap<string, Found> {
    for (const [id, f] of this.#found) if (now >= f.until) this.#found.delete(id)
    if (findings !== this.#known) {
      this.#known = findings
      for (const f of findings) {
        if (this.#ids.has(f.id)) continue
        this.#ids.add(f.id)
        if (f.agentId && stands(f)) this.#add(f.agentId, f, now)
      }
    }
    for (const h of heroes) {
      const f = this.#found.get(h.id)
      if (f && !f.there && isAt(h, f)) Object.assign(f, { there: true, until: now + NEWS_MS })
    }
    return new Map(this.#found)
  }

  #add(hero: string, { path, severity }: Finding, now: number): void {
    const severe = RANK[severity] <= RANK.high
    if (!severe && this.#found.get(hero)?.severe) return
    this.#found.set(hero, { path, severe, until: now + (severe ? LATE_MS : NEWS_MS), there: false })
  }
}
