// The results of processes: which one is shown in place of the map, and their addresses. The result of the current
// process is shown when it is completed; that of an earlier one when the person has opened it.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { hasResult } from '../state/results'
import { useResultRead } from './use-result-read'
import { useWayHome } from './use-way-home'

export interface Result {
  /** The conversation of the current process; "" for none. */
  processId: string
  /** The conversation of the process whose result is shown; "" for none. */
  shownId: string
  /** Opens the result of the current process. */
  open: () => void
  /** Closes the result. If its address led here, the address is then the realm's. */
  close: () => void
  /** Opens the result of the process with this conversation; false if the realm has no such result now. */
  openOf: (processId: string) => boolean
}

export function useResult(realm: RealmModel, mapShown: boolean): Result {
  const app = useApp()
  const process = useSelect(() => processAt(realm), [realm])
  const [read, setRead] = useResultRead(realm.id, process.id)
  const home = useWayHome(process, mapShown)
  const [chosen, choose] = useState('')
  const known = useSelect(() => chosen !== process.id && hasResult(realm, chosen), [realm, chosen, process.id])
  const earlier = known ? chosen : ''
  const arrived = app.places.arrived.value
  useEffect(() => {
    if (arrived && OTHERS.has(arrived.place.kind)) choose('')
  }, [arrived])
  const open = () => {
    choose('')
    home.end()
    setRead(false)
  }
  return {
    processId: process.id,
    shownId: earlier || (process.completed && !read && !home.shown ? process.id : ''),
    open,
    close: () => {
      if (earlier) choose('')
      else setRead(true)
      if (app.places.at.peek()?.kind === 'result') app.places.go({ kind: 'realm', realmId: realm.id })
    },
    openOf: (id) => {
      if (!hasResult(realm, id)) return false
      if (id === process.id) open()
      else choose(id)
      return true
    },
  }
}

/** The places that the map shows: who goes back to one of them leaves the result of an earlier process. */
const OTHERS: ReadonlySet<string> = new Set(['realm', 'folder'])

function processAt({ world: { processState: p } }: RealmModel): { id: string; completed: boolean } {
  return { id: p.conversationId, completed: p.status === 'completed' }
}
