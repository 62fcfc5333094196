// Who moves the camera of the map: the director, also on one hero whom a person has chosen, or the person's own hand.
// The director is on until the person moves the map; the tab remembers it.
import { signal, type ReadonlySignal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'

/** The key of the tab's storage that is set while the person moves the camera. */
const KEY = 'camera'
const BY_HAND = 'hand'

export class Watching {
  readonly #tab: SafeStorage
  readonly #directed
  readonly #hero = signal<string | null>(null)

  constructor(tab: SafeStorage) {
    this.#tab = tab
    this.#directed = signal(tab.get(KEY) !== BY_HAND)
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
    this.#tab.set(KEY, BY_HAND)
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
