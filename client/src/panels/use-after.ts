// A timer for what takes long, such as a slow answer.
import { useEffect, useState } from 'preact/hooks'

/** Becomes true after so many milliseconds. Starts again when key changes. */
export function useAfter(ms: number, key: unknown = ''): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    setPassed(false)
    const timer = setTimeout(() => setPassed(true), ms)
    return () => clearTimeout(timer)
  }, [ms, key])
  return passed
}
