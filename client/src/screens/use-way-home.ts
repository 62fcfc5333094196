// When a process ends while the person watches the map, the map stays for some seconds, in which the heroes walk
// home. Then the result replaces the map. A button shows the result earlier. If the person moves the map, the map
// stays.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { drawsMap } from '../map/can-draw'
import { useViewport } from './viewport'

/** How long the map stays after the end, in milliseconds. */
const WALK_MS = 10_000

interface WayHome {
  /** Whether the map is shown instead of the result. */
  shown: boolean
  end: () => void
}

/** mapShown: whether the map is visible; on a phone the person can hide it. */
export function useWayHome(process: { id: string; completed: boolean }, mapShown: boolean): WayHome {
  const { storage, watching } = useApp()
  const { calm } = useViewport()
  const [walks, setWalks] = useState('')
  const before = useRef(process)
  const { id, completed } = process
  // This is decided during the render and not in an effect, because the result would be visible for a moment
  // otherwise.
  const ended = completed && before.current.id === id && !before.current.completed
  const begins = ended && mapShown && drawsMap(storage) && !calm
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
