// Remembers which heroes have found something in the last seconds, and in which file. The time is a parameter.
import type { Finding } from '../../net/protocol.gen'
import { stands } from '../../state/findings'

/** How long a finding counts as new, in milliseconds. */
const NEWS_MS = 8_000

export class News {
  #known: readonly Finding[]
  readonly #ids: Set<string>
  readonly #found = new Map<string, { path: string; until: number }>()

  /** findings: the findings that exist at the beginning. They do not count as new. */
  constructor(findings: readonly Finding[]) {
    this.#known = findings
    this.#ids = new Set(findings.map((f) => f.id))
  }

  /** For each hero with a new finding, the file of its newest finding. */
  take(findings: readonly Finding[], now: number): ReadonlyMap<string, string> {
    if (findings !== this.#known) {
      this.#known = findings
      for (const f of findings) {
        if (this.#ids.has(f.id)) continue
        this.#ids.add(f.id)
        if (f.agentId && stands(f)) this.#found.set(f.agentId, { path: f.path, until: now + NEWS_MS })
      }
    }
    for (const [id, f] of this.#found) if (now >= f.until) this.#found.delete(id)
    return new Map([...this.#found].map(([id, f]) => [id, f.path]))
  }
}
