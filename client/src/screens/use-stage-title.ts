// Returns the title of a stage for some seconds after the stage has begun. When the next stage begins, its title
// is shown at once instead; the end of the process removes the title.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'

/** How long a title stays, in milliseconds. */
const TITLE_MS = 4_000

export interface ShownTitle {
  /** The index of the stage whose title is shown; null for none. */
  shown: number | null
  close: () => void
}

/** watched: whether the map is shown. A stage that begins while the map is hidden gets no title. */
export function useStageTitle(realm: RealmModel, watched: boolean): ShownTitle {
  const now = useSelect(() => stageNow(realm), [realm])
  const before = useRef(now)
  const [begun, setBegun] = useState<StageNow | null>(null)
  useEffect(() => {
    const begins = watched && !document.hidden && hasBegun(before.current, now)
    before.current = now
    if (begins) setBegun(now)
    else if (!watched) setBegun(null)
  }, [now, watched])
  useEffect(() => {
    if (begun === null) return
    const timer = setTimeout(() => setBegun(null), TITLE_MS)
    return () => clearTimeout(timer)
  }, [begun])
  const close = useCallback(() => setBegun(null), [])
  const runs = begun !== null && !now.over && begun.id === now.id && begun.index === now.index
  return { shown: runs ? now.index : null, close }
}

export interface StageNow {
  /** The conversation of the process. */
  id: string
  index: number
  /** Whether the process is completed. */
  over: boolean
  /** Whether the realm's setting `pace` is "watchable": scouts and scripts talk at reading speed. */
  watchable: boolean
}

function stageNow({ world: { processState: p, settings } }: RealmModel): StageNow {
  const over = p.status === 'completed'
  return { id: p.conversationId, index: p.currentStageIndex, over, watchable: settings.pace === 'watchable' }
}

/** Whether the current stage has begun after the state `before`, and gets a title. */
export function hasBegun(before: StageNow, now: StageNow): boolean {
  if (!now.watchable || now.over || now.id === '') return false
  return before.id !== now.id || before.index < now.index
}
