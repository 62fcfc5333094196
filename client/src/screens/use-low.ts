// Whether the page is low, such as on a small phone, whose map and transcript do not fit beneath each other.
import { useEffect, useState } from 'preact/hooks'

/** styles/game.css has the same height. */
const LOW = '(max-height: 700px)'

export function useLow(): boolean {
  const [low, setLow] = useState(() => matchMedia(LOW).matches)
  useEffect(() => {
    const query = matchMedia(LOW)
    const look = () => setLow(query.matches)
    look()
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return low
}
