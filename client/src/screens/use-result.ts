// The result of the completed process: whether it is shown in place of the map, and its address.
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { useResultRead } from './use-result-read'
import { useWayHome } from './use-way-home'

export interface Result {
  /** The conversation of the process; "" for none. */
  processId: string
  shown: boolean
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
  const open = () => {
    home.end()
    setRead(false)
  }
  return {
    processId: process.id,
    shown: process.completed && !read && !home.shown,
    open,
    close: () => {
      setRead(true)
      if (app.places.at.peek()?.kind === 'result') app.places.go({ kind: 'realm', realmId: realm.id })
    },
    openOf: (id) => {
      const known = process.completed && process.id === id
      if (known) open()
      return known
    },
  }
}

function processAt({ world: { processState: p } }: RealmModel): { id: string; completed: boolean } {
  return { id: p.conversationId, completed: p.status === 'completed' }
}
