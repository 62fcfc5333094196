// The current time, for ages such as "3 min".
import { useEffect, useState } from 'preact/hooks'

/** The time between two updates of the ages, in milliseconds. */
const EVERY = 20_000

/**
 * Returns the current time, and renders again every EVERY milliseconds. The returned time does not change while the
 * page is hidden.
 */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined
    const tick = () => setNow(Date.now())
    const follow = () => {
      clearInterval(timer)
      if (document.visibilityState === 'hidden') return
      tick()
      timer = setInterval(tick, EVERY)
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', follow)
    }
  }, [])
  return now
}
