// The findings that the linked repository accepts: those that a line of its file of accepted findings names, whoever
// wrote the line. The server reads the file (P19.9); the page asks again whenever the folder has changed.
import { signal } from '@preact/signals'
import type { Answer } from './net/ask'
import type { FindingsAccepted } from './net/protocol.gen'

export class Accepted {
  readonly #ask: (realmId: string, stop: AbortSignal) => Promise<Answer<FindingsAccepted>>
  readonly #ids = signal<{ realmId: string; ids: ReadonlySet<string> }>({ realmId: '', ids: new Set() })
  #asking = new AbortController()

  constructor(ask: (realmId: string, stop: AbortSignal) => Promise<Answer<FindingsAccepted>>) {
    this.#ask = ask
  }

  /** Whether the finding is accepted. A view that asks is drawn again when this changes. */
  has(realmId: string, findingId: string): boolean {
    const { realmId: of, ids } = this.#ids.value
    return of === realmId && ids.has(findingId)
  }

  /** Called when the person has accepted a finding here, so that the page shows it at once. */
  add(realmId: string, findingId: string): void {
    this.#asking.abort() // the answer may be older than the acceptance
    const { realmId: of, ids } = this.#ids.peek()
    this.#ids.value = { realmId, ids: new Set([...(of === realmId ? ids : []), findingId]) }
  }

  /** Asks the server. Without an answer the page keeps what it knows. */
  async read(realmId: string): Promise<void> {
    this.#asking.abort()
    const { signal: stop } = (this.#asking = new AbortController())
    const answer = await this.#ask(realmId, stop)
    if (stop.aborted || answer === null || !('got' in answer)) return
    this.#ids.value = { realmId, ids: new Set(answer.got.findings) }
  }
}
