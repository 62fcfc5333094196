// Browser storages for tests: one that works, one that is denied, one that is full.
export function memoryStorage(entries: Record<string, string> = {}): Storage {
  const map = new Map(Object.entries(entries))
  return {
    get length() {
      return map.size
    },
    clear: () => map.clear(),
    getItem: (k) => map.get(k) ?? null,
    key: (i) => [...map.keys()][i] ?? null,
    removeItem: (k) => void map.delete(k),
    setItem: (k, v) => void map.set(k, v),
  }
}

export function denied(): Storage {
  throw new DOMException('denied', 'SecurityError')
}

export function full(entries: Record<string, string> = {}): Storage {
  return {
    ...memoryStorage(entries),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }
}
