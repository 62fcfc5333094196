// What a function from the last drawing is now: for effects and listeners that outlive the drawing that made them.
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A reference that never changes to a value that does. It is set before the effects of the same drawing run. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
