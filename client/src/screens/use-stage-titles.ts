// The titles of stages over the map. A small review passes a stage in a second; each title stays long enough to be
// read, whatever the process does meanwhile. The stage bar and everything else show the present stage.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'

/** How long a title stays, in milliseconds. */
const TITLE_MS = 4_000

export interface StageTitles {
  /** The index of the stage whose title is shown; null for none. */
  shown: number | null
  /** How many further titles wait. */
  waiting: number
  /** Ends the title, and those that wait. */
  skip: () => void
}

/** watched: whether the map is shown. Nobody waits for the titles of what happens while it is not. */
export function useStageTitles(realm: RealmModel, watched: boolean): StageTitles {
  const now = useSelect(() => stageNow(realm), [realm])
  const before = useRef(now)
  const [titles, setTitles] = useState<readonly number[]>([])
  useEffect(() => {
    const passed = watched && !document.hidden ? stagesSince(before.current, now) : []
    const moved = before.current.id !== now.id || now.index < before.current.index
    before.current = now
    if (!watched) setTitles([])
    else if (moved || passed.length > 0) setTitles((t) => [...(moved ? [] : t), ...passed])
  }, [now, watched])
  const shown = titles[0] ?? null
  useEffect(() => {
    if (shown === null) return
    const timer = setTimeout(() => setTitles((t) => t.slice(1)), TITLE_MS)
    return () => clearTimeout(timer)
  }, [shown, titles])
  const skip = useCallback(() => setTitles([]), [])
  return { shown, waiting: Math.max(0, titles.length - 1), skip }
}

export interface StageNow {
  /** The conversation of the process. */
  id: string
  index: number
  /** Whether the process plays so that people can follow it. */
  watchable: boolean
}

function stageNow({ world: { processState: p, settings } }: RealmModel): StageNow {
  return { id: p.conversationId, index: p.currentStageIndex, watchable: settings.pace === 'watchable' }
}

/** The stages that have begun between two states, also those that were over before the page rendered. */
export function stagesSince(before: StageNow, now: StageNow): number[] {
  if (!now.watchable || now.id === '') return []
  const from = before.id === now.id ? before.index + 1 : 0
  return Array.from({ length: Math.max(0, now.index + 1 - from) }, (_, i) => from + i)
}
