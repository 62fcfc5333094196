// The findings that a person has accepted on this page. The server writes the line that accepts a finding into the
// linked folder and tells nobody, so this browser remembers the finding until another process begins. The next review
// does not report accepted findings.
import { signal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'
import type { RealmModel } from './state/model'

/** The maximum number of findings that are remembered for a realm. At this number the oldest is forgotten. */
const MAX = 500

/** The storage key for a realm. Its value is the id of the process and the ids of the findings, one on each line. */
const keyOf = (realmId: string) => `accepted.${realmId}`

export class Accepted {
  readonly #storage: SafeStorage
  /** The remembered findings by realm; a realm that was not asked for is still to be read. */
  readonly #known = new Map<string, { processId: string; ids: ReadonlySet<string> }>()
  readonly #changes = signal(0)

  constructor(storage: SafeStorage) {
    this.#storage = storage
  }

  /** Whether the finding was accepted. A view that asks is drawn again when this changes. */
  has(realm: RealmModel, findingId: string): boolean {
    return this.#changes.value >= 0 && this.#of(realm).has(findingId)
  }

  add(realm: RealmModel, findingId: string): void {
    const processId = realm.world.processState.conversationId
    const ids = new Set([...this.#of(realm), findingId].slice(-MAX))
    this.#known.set(realm.id, { processId, ids })
    this.#storage.set(keyOf(realm.id), [processId, ...ids].join('\n'))
    this.#changes.value++
  }

  #of(realm: RealmModel): ReadonlySet<string> {
    let known = this.#known.get(realm.id)
    if (known === undefined) {
      const [processId = '', ...ids] = (this.#storage.get(keyOf(realm.id)) ?? '').split('\n')
      known = { processId, ids: new Set(ids) }
      this.#known.set(realm.id, known)
    }
    return known.processId === realm.world.processState.conversationId ? known.ids : NONE
  }
}

const NONE: ReadonlySet<string> = new Set()
