// An object whose fields are signals. Whoever reads a field depends on that field alone, so a frame redraws only what
// reads what it changed.
import { signal, type Signal } from '@preact/signals'

export interface Slices<T> {
  /** Always the same object; its fields are those of the value that was shown last. */
  readonly view: T
  /** Sets every field. A field that holds the same value as before notifies nobody. */
  show(next: T): void
}

/** keys: every field of T, also those that first leaves out. */
export function slicesOf<T extends object>(keys: Readonly<Record<keyof T, true>>, first: T): Slices<T> {
  const names = Object.keys(keys) as (keyof T)[]
  const signals = names.map((name): [keyof T, Signal<T[keyof T]>] => [name, signal(first[name])])
  const view = {} as T
  for (const [name, of] of signals)
    Object.defineProperty(view, name, { enumerable: true, get: (): T[keyof T] => of.value })
  return {
    view,
    show(next) {
      for (const [name, of] of signals) of.value = next[name]
    },
  }
}
