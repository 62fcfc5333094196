// Remembers which heroes have been at work or on their way in the last seconds. The map shows a hero at a file longer
// than the hero works there, and this says when a hero that only stands there is no scene any more. Pure but for its
// memory; the time is a parameter.

/** How long a hero that has read a file still counts as one that stands there, in milliseconds. */
const LATELY_MS = 4_000

interface Seen {
  id: string
  /** Whether the hero works or is on its way to a file now. */
  busy: boolean
}

export class Lately {
  readonly #at = new Map<string, number>()

  /** The heroes that are busy now or were so in the last seconds, by id. */
  take(heroes: readonly Seen[], now: number): ReadonlySet<string> {
    for (const h of heroes) if (h.busy) this.#at.set(h.id, now)
    for (const [id, at] of this.#at) if (now - at >= LATELY_MS) this.#at.delete(id)
    return new Set(this.#at.keys())
  }
}
