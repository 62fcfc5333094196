// The place that the page shows, in step with the browser's address bar: each place that a person opens is an entry of
// the browser's history, so that back and forward work.
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { addressOf, isSamePlace, placeAt, type Place, type Where } from './place'

/** What lies before an entry of the browser's history that the page has added. */
export interface Steps {
  /** The number of entries before it that belong to this page. */
  depth: number
  /** The number of files, that of the entry included, to which going back leads one after another; 0 without a file. */
  files: number
}

/** The browser's address bar and history. */
export interface AddressBar {
  /** steps: what push stored with the current entry; absent for an entry that push did not add. */
  read: () => Where & { origin: string; steps?: Steps | undefined }
  push: (address: string, steps: Steps) => void
  /** Changes the address of the current entry. */
  replace: (address: string) => void
  /** Goes back by a number of entries. */
  back: (by: number) => void
  /** Reloads the page at its address. */
  reload: () => void
  /**
   * Calls moved after the person has gone back or forward in the history, or has edited the part of the address after
   * "#".
   */
  onMove: (moved: () => void) => void
}

/** The file that is open. */
export interface OpenFile {
  path: string
  /** The line to which the file is scrolled; 0 for none. */
  line: number
  /** Whether it was opened with what differs from the last commit. */
  changes?: boolean
}

/**
 * A place to which the person came by an address, and the place that was shown before. An open file is shown over
 * another place, and `from` is then that one.
 */
export interface Arrival {
  place: Place
  from: Place | null
}

/** An address bar that does nothing, for pages without one. */
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
    read: () => {
      const { origin, pathname, hash } = w.location
      return { origin, pathname, hash, steps: (w.history.state as { steps?: Steps } | null)?.steps }
    },
    push: (address, steps) => w.history.pushState({ steps }, '', address),
    replace: (address) => w.history.replaceState(w.history.state, '', address),
    back: (by) => w.history.go(-by),
    reload: () => w.location.reload(),
    onMove: (moved) => w.addEventListener('popstate', moved),
  }
}

export class Places {
  readonly #bar: AddressBar
  readonly #at = signal<Place | null>(null)
  readonly #arrived = signal<Arrival | null>(null)
  /** The place that the address names, until its realm is shown; null for none. */
  #wanted: Place | null
  /**
   * Called when the person goes back or forward to an address without a place (null), or to a realm while the page
   * shows none. From one realm to another the page reloads instead.
   */
  onReturn: (realmId: string | null) => void = () => undefined
  /** At least this many entries of the browser's history before the current one belong to this page. */
  #depth = 0
  /** The number of files, the open one included, to which going back leads before another place; 0 without a file. */
  readonly #files = signal(0)
  /** The place that is shown, or over which a file is shown; null outside of a realm. */
  #below: Place | null = null

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
   * The place to which the person came by an address: at the start of the page, or by going back or forward. The
   * game screen then shows this place. Each arrival is a new object.
   */
  get arrived(): ReadonlySignal<Arrival | null> {
    return this.#arrived
  }

  /** The file that is open; null for none. */
  readonly file = computed((): OpenFile | null => {
    const p = this.#at.value
    if (p?.kind !== 'file') return null
    return { path: p.path, line: p.line, ...(p.changes ? { changes: true } : {}) }
  })

  /** Whether going back leads to another file. */
  readonly hasPreviousFile = computed((): boolean => this.#files.value > 1)

  /** The realm that the address names, until it is shown; null for none. */
  get wantedRealm(): string | null {
    return this.#wanted?.realmId ?? null
  }

  /** The absolute address of a place, for copying. */
  linkTo(place: Place): string {
    return this.#bar.read().origin + addressOf(place)
  }

  /** Called when the page shows a realm. */
  entered(realmId: string): void {
    const wanted = this.#wanted?.realmId === realmId ? this.#wanted : null
    this.#wanted = null
    if (wanted !== null) {
      this.#arrive(wanted)
      return
    }
    if (this.#at.peek()?.realmId === realmId) return
    this.#show({ kind: 'realm', realmId })
    this.#bar.replace(addressOf({ kind: 'realm', realmId }))
  }

  /** Called when the page no longer shows the realm. */
  left(): void {
    this.#wanted = null
    if (this.#at.peek() === null) return
    this.#show(null)
    this.#depth++
    this.#bar.push('/', { depth: this.#depth, files: 0 })
  }

  /** Called when the address names a realm that the page cannot show. */
  giveUp(): void {
    if (this.#wanted === null) return
    this.#wanted = null
    this.#bar.replace('/')
  }

  /** Shows a place that the person has opened, and adds a history entry. */
  go(place: Place): void {
    if (this.#at.peek() === null || isSamePlace(this.#at.peek(), place)) return
    const files = place.kind === 'file' ? this.#files.peek() + 1 : 0
    this.#show(place, files)
    this.#depth++
    this.#bar.push(addressOf(place), { depth: this.#depth, files })
  }

  /** Goes to a place as if the person had come by its address: the game screen shows it. */
  visit(place: Place): void {
    const from = this.#below
    this.go(place)
    this.#arrived.value = { place, from }
  }

  /** Opens a file of the realm that is shown. */
  open(path: string, line = 0): void {
    const realmId = this.#at.peek()?.realmId
    if (realmId !== undefined) this.go({ kind: 'file', realmId, path, line })
  }

  /** Opens a file with what differs from the last commit. */
  openChanges(path: string): void {
    const now = this.#at.peek()
    if (now?.kind === 'file' && now.path === path) this.#at.value = { ...now, changes: true }
    else if (now) this.go({ kind: 'file', realmId: now.realmId, path, line: 0, changes: true })
  }

  /** Records the marked line of the open file in the current history entry. */
  mark(line: number): void {
    const p = this.#at.peek()
    if (p?.kind !== 'file' || p.line === line) return
    const place = { ...p, line }
    this.#at.value = place
    this.#bar.replace(addressOf(place))
  }

  /** Goes back to the file that was open before this one; does nothing if there is none. */
  previousFile(): void {
    if (this.#files.peek() > 1) this.#bar.back(1)
  }

  /** Closes the open file, and goes back to the place over which it and the files before it were opened. */
  close(): void {
    const p = this.#at.peek()
    if (p?.kind !== 'file') return
    const realm: Place = { kind: 'realm', realmId: p.realmId }
    const files = this.#files.peek()
    this.#at.value = realm
    this.#files.value = 0
    if (this.#depth < files) return this.#bar.replace(addressOf(realm))
    this.#bar.back(files)
  }

  #moved(): void {
    this.#depth = this.#bar.read().steps?.depth ?? 0
    const place = placeAt(this.#bar.read())
    const realmId = this.#at.peek()?.realmId
    if (place !== null && realmId === place.realmId) this.#arrive(place)
    else if (place !== null && realmId !== undefined) this.#bar.reload()
    else {
      this.#wanted = place
      this.#show(null)
      this.onReturn(place?.realmId ?? null)
    }
  }

  #arrive(place: Place): void {
    const from = this.#below
    this.#show(place)
    this.#arrived.value = { place, from }
  }

  #show(place: Place | null, files = this.#bar.read().steps?.files ?? 1): void {
    this.#at.value = place
    this.#files.value = place?.kind === 'file' ? files : 0
    if (place?.kind !== 'file') this.#below = place
  }
}
