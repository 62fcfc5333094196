// A browser's address bar with one entry, for tests.
import type { AddressBar } from '../places'

export interface Bar extends AddressBar {
  /** Goes to an address, as a person does who follows a link within the history. */
  goTo: (next: string) => void
}

export function barAt(pathname: string): Bar {
  let [at, moved] = [pathname, () => undefined as void]
  return {
    read: () => ({ origin: 'http://host', pathname: at, hash: '' }),
    push: (address) => (at = address),
    replace: (address) => (at = address),
    back: () => undefined,
    reload: () => undefined,
    onMove: (call) => (moved = call),
    goTo: (next) => {
      at = next
      moved()
    },
  }
}
