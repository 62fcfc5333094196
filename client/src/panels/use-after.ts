// A timer for what can take long, such as an answer of the server.
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
