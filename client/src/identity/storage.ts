// The browser's storage, wrapped so that it never throws. If a call fails because the browser denies its storage
// (private windows, a policy), or because the storage is full, a copy in memory holds the values until the tab closes.

/** Every key that the page writes into the storage begins with this. */
const PREFIX = 'agentDungeon.'

export interface SafeStorage {
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
  /** The keys with this prefix. */
  keys(prefix: string): string[]
}

/** Wraps a storage so that no method throws. Both storage() itself and each method of its result can throw. */
export function safeStorage(storage: () => Storage): SafeStorage {
  const memory = new Map<string, string>()
  // Keys whose last write failed: the storage holds outdated values for these keys.
  const memoryOnly = new Set<string>()
  return {
    get(key) {
      if (!memoryOnly.has(key)) {
        try {
          return storage().getItem(PREFIX + key)
        } catch {
          // the read failed: use the copy in memory
        }
      }
      return memory.get(key) ?? null
    },
    set(key, value) {
      memory.set(key, value)
      try {
        storage().setItem(PREFIX + key, value)
        memoryOnly.delete(key)
        memory.delete(key)
      } catch {
        memoryOnly.add(key)
      }
    },
    keys(prefix) {
      const all = new Set(memory.keys())
      try {
        const s = storage()
        for (let i = 0; i < s.length; i++) {
          const key = s.key(i)
          if (key?.startsWith(PREFIX) && !memoryOnly.has(key.slice(PREFIX.length))) all.add(key.slice(PREFIX.length))
        }
      } catch {
        // the browser denies its storage: return only the keys of the copy in memory
      }
      return [...all].filter((key) => key.startsWith(prefix))
    },
    remove(key) {
      memory.delete(key)
      memoryOnly.delete(key)
      try {
        storage().removeItem(PREFIX + key)
      } catch {
        memoryOnly.add(key)
      }
    },
  }
}

/** The storage that all tabs of this browser share (localStorage). */
export const browserStorage = (): SafeStorage => safeStorage(() => window.localStorage)

/** The storage of this tab (sessionStorage). */
export const tabStorage = (): SafeStorage => safeStorage(() => window.sessionStorage)
