// Shows the place to which the person came by an address: at the start of the page, or by going back or forward. A
// place that does not exist is named as such.
import { useEffect } from 'preact/hooks'
import type { Navigation } from '../map/navigation'
import { useApp } from '../panels/context'
import { useLatest } from '../panels/use-latest'
import { useSelect } from '../panels/use-select'
import type { Arrival } from '../places'
import type { RealmModel } from '../state/model'
import type { Tab } from './side'

interface Ways {
  room: (path: string) => void
  navigation: Navigation
  tab: (tab: Tab) => void
  /** Shows the result of the process with this conversation; false if the page does not have it. */
  result: (id: string) => boolean
}

export function useArrivals(realm: RealmModel, ways: Ways): void {
  const app = useApp()
  const arrived = app.places.arrived.value
  const here = arrived?.place.realmId === realm.id ? arrived : null
  const place = here?.place
  // If the finding has not been loaded yet, it is shown as soon as it has been.
  const known = useSelect(
    () => place?.kind !== 'finding' || realm.world.findings.some((f) => f.id === place.id),
    [realm, place],
  )
  const live = app.live.value
  const now = useLatest(ways)
  useEffect(() => {
    if (here === null) return
    app.deadFinding.value = ''
    if (known) arrive(app, here, now.current)
    else if (live && here.place.kind === 'finding') {
      app.deadFinding.value = here.place.id
      now.current.tab('findings')
    }
  }, [app, here, known, live, now])
}

function arrive(app: ReturnType<typeof useApp>, { place, from }: Arrival, ways: Ways): void {
  if (place.kind !== 'talk') app.conversations.leaveMissing()
  switch (place.kind) {
    case 'realm':
      if (from?.kind === 'folder') ways.navigation.leave()
      break
    case 'folder':
      if (!ways.navigation.inside || ways.navigation.path !== place.path) ways.room(place.path)
      break
    case 'finding':
      app.showFinding(place.id)
      ways.tab('findings')
      break
    case 'result':
      if (ways.result(place.id)) break
      app.conversations.choose(place.id) // the result of an earlier process is at the end of its conversation
      ways.tab('talk')
      break
    case 'talk':
      if (place.messageId) app.conversations.openAtRow(place.id, place.seq, place.messageId)
      else app.conversations.choose(place.id)
      ways.tab('talk')
      break
    case 'file': // the file layer shows files
  }
}
