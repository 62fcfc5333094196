// A computed signal whose value stays the same object while its content is equal, so that components that read it
// do not render.
import { computed, type ReadonlySignal } from '@preact/signals'

export function deepComputed<T>(of: () => T): ReadonlySignal<T> {
  let before: { value: T } | null = null
  return computed(() => {
    const value = of()
    if (before === null || !alike(before.value, value)) before = { value }
    return before.value
  })
}

/** Deep equality of arrays, maps, plain objects and primitives; other objects are compared by identity. */
function alike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((x, i) => alike(x, b[i]))
  if (a instanceof Map) return b instanceof Map && a.size === b.size && alike([...a], [...b])
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false
  const [x, y] = [Object.entries(a), b as Record<string, unknown>]
  return x.length === Object.keys(y).length && x.every(([key, value]) => Object.hasOwn(y, key) && alike(value, y[key]))
}
