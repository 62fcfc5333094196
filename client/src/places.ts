// The place that the page shows, in step with the browser's address bar: each place that a person opens is an entry of
// the browser's history, so that back and forward work.
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { addressOf, isSamePlace, placeAt, type Place, type Where } from './place'

/** The browser's address bar and history. */
export interface AddressBar {
  read: () => Where & { origin: string }
  push: (address: string) => void
  replace: (address: string) => void
  back: () => void
  /** Loads the page anew at its address. */
  reload: () => void
  /** Calls moved when the person went back or forward, or changed the address. */
  onMove: (moved: () => void) => void
}

/** The file that is open. */
export interface OpenFile {
  path: string
  /** The line to which the file is scrolled; 0 for none. */
  line: number
}

/** A place to which an address led, and the place that was shown before. */
export interface Arrival {
  place: Place
  from: Place | null
}

/** An address bar that shows nothing, for pages without one. */
export const noBar: AddressBar = {
  read: () => ({ origin: '', pathname: '/', hash: '' }),
  push: () => undefined,
  replace: () => undefined,
  back: () => undefined,
  reload: () => undefined,
  onMove: () => undefined,
}

export function browserBar(w: Window): AddressBar {
  return {
    read: () => w.location,
    push: (address) => w.history.pushState(null, '', address),
    replace: (address) => w.history.replaceState(null, '', address),
    back: () => w.history.back(),
    reload: () => w.location.reload(),
    onMove: (moved) => w.addEventListener('popstate', moved),
  }
}

export class Places {
  readonly #bar: AddressBar
  readonly #at = signal<Place | null>(null)
  readonly #arrived = signal<Arrival | null>(null)
  /** The place that the address named when the page opened, until its realm is shown. */
  #wanted: Place | null
  /** Called when the person goes back or forward to a realm that is not shown; null: to no realm. */
  onReturn: (realmId: string | null) => void = () => undefined
  /** How many entries of the history this page has added and not gone back over. */
  #depth = 0

  constructor(bar: AddressBar) {
    this.#bar = bar
    this.#wanted = placeAt(bar.read())
    bar.onMove(() => this.#moved())
  }

  /** The place that is shown; null outside of a realm. */
  get at(): ReadonlySignal<Place | null> {
    return this.#at
  }

  /**
   * The place to which an address led: the one of the page's start, and those of back and forward. The game screen goes
   * there. A new object for each arrival.
   */
  get arrived(): ReadonlySignal<Arrival | null> {
    return this.#arrived
  }

  /** The file that is open; null for none. */
  readonly file = computed((): OpenFile | null => {
    const p = this.#at.value
    return p?.kind === 'file' ? { path: p.path, line: p.line } : null
  })

  /** The realm that the page's first address names, until it is shown; null for none. */
  get wantedRealm(): string | null {
    return this.#wanted?.realmId ?? null
  }

  /** The whole address of a place, to be copied. */
  linkTo(place: Place): string {
    return this.#bar.read().origin + addressOf(place)
  }

  /** The realm is shown now. */
  entered(realmId: string): void {
    const wanted = this.#wanted?.realmId === realmId ? this.#wanted : null
    this.#wanted = null
    if (wanted !== null) {
      this.#arrive(wanted)
      return
    }
    if (this.#at.peek()?.realmId === realmId) return
    this.#at.value = { kind: 'realm', realmId }
    this.#bar.replace(addressOf({ kind: 'realm', realmId }))
  }

  /** The realm is not shown any more. */
  left(): void {
    this.#wanted = null
    if (this.#at.peek() === null) return
    this.#at.value = null
    this.#bar.push('/')
  }

  /** The first address named a realm that this person cannot see. */
  giveUp(): void {
    if (this.#wanted === null) return
    this.#wanted = null
    this.#bar.replace('/')
  }

  /** The person has opened a place: it gets an entry of the history. */
  go(place: Place): void {
    if (this.#at.peek() === null || isSamePlace(this.#at.peek(), place)) return
    this.#at.value = place
    this.#depth++
    this.#bar.push(addressOf(place))
  }

  /** Opens a file of the realm that is shown. */
  open(path: string, line = 0): void {
    const realmId = this.#at.peek()?.realmId
    if (realmId !== undefined) this.go({ kind: 'file', realmId, path, line })
  }

  /** The person has marked another line of the open file: the entry of the history is changed. */
  mark(line: number): void {
    const p = this.#at.peek()
    if (p?.kind !== 'file' || p.line === line) return
    const place = { ...p, line }
    this.#at.value = place
    this.#bar.replace(addressOf(place))
  }

  /** Closes the open file: goes back to the place before. */
  close(): void {
    const p = this.#at.peek()
    if (p?.kind !== 'file') return
    const realm: Place = { kind: 'realm', realmId: p.realmId }
    this.#at.value = realm
    if (this.#depth > 0) this.#bar.back()
    else this.#bar.replace(addressOf(realm))
  }

  #moved(): void {
    this.#depth = Math.max(0, this.#depth - 1)
    const place = placeAt(this.#bar.read())
    const realmId = this.#at.peek()?.realmId
    if (place !== null && realmId === place.realmId) this.#arrive(place)
    else if (place !== null && realmId !== undefined) this.#bar.reload()
    else {
      this.#wanted = place
      this.#at.value = null
      this.onReturn(place?.realmId ?? null)
    }
  }

  #arrive(place: Place): void {
    const from = this.#at.peek()
    this.#at.value = place
    this.#arrived.value = { place, from }
  }
}
