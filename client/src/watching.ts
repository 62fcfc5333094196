// Who moves the camera of the map: the director, which may follow one hero that a person has chosen, or the person.
// The director is on until the person moves the map. The tab stores for one realm that it is off.
import { signal, type ReadonlySignal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'

/** The key in the tab's storage. While the person moves the camera, its value is the id of the realm. */
const KEY = 'camera'

export class Watching {
  readonly #tab: SafeStorage
  #realmId = ''
  readonly #directed = signal(true)
  readonly #hero = signal<string | null>(null)

  constructor(tab: SafeStorage) {
    this.#tab = tab
  }

  /** Called when the page shows a realm. */
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

  /** The hero that the director follows because a person chose it; null if the director chooses. */
  get hero(): ReadonlySignal<string | null> {
    return this.#hero
  }

  /** The person takes over the camera. */
  take(): void {
    this.#directed.value = false
    this.#hero.value = null
    this.#tab.set(KEY, this.#realmId)
  }

  /** The director chooses what to show. */
  action(): void {
    this.#directed.value = true
    this.#hero.value = null
    this.#tab.remove(KEY)
  }

  /** The director follows this hero. */
  follow(id: string): void {
    this.#hero.value = id
    this.#directed.value = true
  }
}
