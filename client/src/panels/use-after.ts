// A timer for operations that can take long, such as an answer of the server.
import { useEffect, useState } from 'preact/hooks'

/**
 * Returns false, and true when ms milliseconds have passed since the first render or since the last change of key.
 */
export function useAfter(ms: number, key: unknown = ''): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    setPassed(false)
    const timer = setTimeout(() => setPassed(true), ms)
    return () => clearTimeout(timer)
  }, [ms, key])
  return passed
}
