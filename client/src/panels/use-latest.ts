// The latest value for effects and listeners that outlive a render.
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A constant reference to a changing value. It is set before the effects of the same render are called. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
