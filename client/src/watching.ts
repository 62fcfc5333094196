// Who moves the camera of the map: the director, also on one hero whom a person has chosen, or the person's own hand.
// The director is on until the person moves the map of the realm; the tab remembers it for one realm.
import { signal, type ReadonlySignal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'

/** The key of the tab's storage that is set while the person moves the camera, to the id of the realm. */
const KEY = 'camera'

export class Watching {
  readonly #tab: SafeStorage
  #realmId = ''
  readonly #directed = signal(true)
  readonly #hero = signal<string | null>(null)

  constructor(tab: SafeStorage) {
    this.#tab = tab
  }

  /** The page shows this realm from now on. */
  enter(realmId: string): void {
    if (realmId === this.#realmId) return
    this.#realmId = realmId
    this.#directed.value = this.#tab.get(KEY) !== realmId
    this.#hero.value = null
  }

  /** Whether the director moves the camera. */
  get directed(): ReadonlySignal<boolean> {
    return this.#directed
  }

  /** The hero that the person follows; null for none: the director shows what matters most. */
  get hero(): ReadonlySignal<string | null> {
    return this.#hero
  }

  /** The person moves the camera from now on. */
  take(): void {
    this.#directed.value = false
    this.#hero.value = null
    this.#tab.set(KEY, this.#realmId)
  }

  /** The director shows what matters most. */
  action(): void {
    this.#directed.value = true
    this.#hero.value = null
    this.#tab.remove(KEY)
  }

  /** The director shows this hero. */
  follow(id: string): void {
    this.#hero.value = id
    this.#directed.value = true
  }
}
