// When a process ends while the map is watched, its heroes walk home before the result takes the place of the map. The
// result is one click away meanwhile, and waits if the person moves the map.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { drawsMap } from '../map/can-draw'

/** How long the map stays, in milliseconds: heroes look up from their files, and walk. */
const WALK_MS = 10_000

interface WayHome {
  /** Whether the map is shown instead of the result. */
  shown: boolean
  end: () => void
}

/** mapShown: whether the map is not hidden by the person. */
export function useWayHome(process: { id: string; completed: boolean }, mapShown: boolean): WayHome {
  const { storage, watching } = useApp()
  const [walks, setWalks] = useState('')
  const before = useRef(process)
  const { id, completed } = process
  // Decided while rendering: the result is not shown for a moment before.
  const ended = completed && before.current.id === id && !before.current.completed
  const begins = ended && mapShown && drawsMap(storage) && !matchMedia('(prefers-reduced-motion: reduce)').matches
  useEffect(() => {
    before.current = { id, completed }
    if (begins) setWalks(id)
  }, [id, completed, begins])
  useEffect(() => {
    if (walks === '') return
    const timer = setTimeout(() => watching.directed.peek() && setWalks(''), WALK_MS)
    return () => clearTimeout(timer)
  }, [walks, watching])
  return { shown: begins || (completed && walks === id), end: () => setWalks('') }
}
