// An object whose fields are signals. A component that reads a field depends on that field alone. So a frame renders
// only the components that read a field which the frame has changed.
import { signal, type Signal } from '@preact/signals'

export interface Slices<T> {
  /** An object with the fields of the last argument of show. It is always the same object; its fields change. */
  readonly view: T
  /** Sets every field. Only effects that read a changed field run. */
  show(next: T): void
}

/** keys: every field of T, also optional ones. */
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
