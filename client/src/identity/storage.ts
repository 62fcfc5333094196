// The browser's storage, typed and never in the way: where it is denied, full or
// broken (private windows, a policy), a copy in memory serves until the tab closes.

/** Everything the page keeps begins with this. */
const PREFIX = 'agentDungeon.'

export interface Shelf {
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
  /** The keys that begin with that. */
  keys(prefix: string): string[]
}

/** Wraps a storage that may throw at any call, at its very mention too. */
export function shelf(storage: () => Storage): Shelf {
  const memory = new Map<string, string>()
  // What could not be written must not be read back in an older form.
  const only = new Set<string>()
  return {
    get(key) {
      if (!only.has(key)) {
        try {
          return storage().getItem(PREFIX + key)
        } catch {
          // fall through to memory
        }
      }
      return memory.get(key) ?? null
    },
    set(key, value) {
      memory.set(key, value)
      try {
        storage().setItem(PREFIX + key, value)
        only.delete(key)
        memory.delete(key)
      } catch {
        only.add(key)
      }
    },
    keys(prefix) {
      const all = new Set(memory.keys())
      try {
        const s = storage()
        for (let i = 0; i < s.length; i++) {
          const key = s.key(i)
          if (key?.startsWith(PREFIX) && !only.has(key.slice(PREFIX.length))) all.add(key.slice(PREFIX.length))
        }
      } catch {
        // what is in memory is what there is
      }
      return [...all].filter((key) => key.startsWith(prefix))
    },
    remove(key) {
      memory.delete(key)
      only.delete(key)
      try {
        storage().removeItem(PREFIX + key)
      } catch {
        only.add(key)
      }
    },
  }
}

/** Kept for the browser: localStorage. */
export const browserShelf = (): Shelf => shelf(() => window.localStorage)

/** Kept for this tab: sessionStorage. */
export const tabShelf = (): Shelf => shelf(() => window.sessionStorage)
