// Who moves the camera of the map: the director, which may follow one hero that a person has chosen, or the person.
// The director is on until the person moves the map. The tab stores for each realm that it is off. The browser stores
// whether the map shows a second scene.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'

/** The beginning of the keys in the tab's storage. A realm's key is there while the person moves its camera. */
const KEY = 'camera.'
/** The key in the browser's storage; its value is 'off' if the map shows no second scene. */
const SECOND = 'secondScene'

export class Watching {
  readonly #tab: SafeStorage
  #realmId = ''
  readonly #directed = signal(true)
  readonly #hero = signal<string | null>(null)
  readonly #left = signal<string | null>(null)
  readonly #browser: SafeStorage
  readonly #second: Signal<boolean>

  constructor(tab: SafeStorage, browser: SafeStorage) {
    this.#tab = tab
    this.#browser = browser
    this.#second = signal(browser.get(SECOND) !== 'off')
  }

  /** Called when the page shows a realm. */
  enter(realmId: string): void {
    if (realmId === this.#realmId) return
    this.#realmId = realmId
    this.#directed.value = this.#tab.get(KEY + realmId) === null
    this.#hero.value = null
    this.#left.value = null
  }

  /** Whether the director moves the camera. */
  get directed(): ReadonlySignal<boolean> {
    return this.#directed
  }

  /** The hero that the director follows because a person chose it; null if the director chooses. */
  get hero(): ReadonlySignal<string | null> {
    return this.#hero
  }

  /** The hero that the camera followed when the person took it over; null for none. */
  get left(): ReadonlySignal<string | null> {
    return this.#left
  }

  /** Whether the map shows a second scene beside the main view. */
  get second(): ReadonlySignal<boolean> {
    return this.#second
  }

  setSecond(on: boolean): void {
    this.#second.value = on
    if (on) this.#browser.remove(SECOND)
    else this.#browser.set(SECOND, 'off')
  }

  /** Gives the camera to the person. */
  take(): void {
    this.#left.value = this.#hero.value ?? this.#left.value
    this.#directed.value = false
    this.#hero.value = null
    this.#tab.set(KEY + this.#realmId, 'hand')
  }

  /** Gives the camera to the director, who chooses what to show. */
  action(): void {
    this.#direct(null)
  }

  /** Gives the camera to the director, who follows this hero. */
  follow(id: string): void {
    this.#direct(id)
  }

  #direct(hero: string | null): void {
    this.#directed.value = true
    this.#hero.value = hero
    this.#left.value = null
    this.#tab.remove(KEY + this.#realmId)
  }
}
