// The teams that there are, asked for when they are not known.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TeamInfo } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'

/** The teams, asked for when they are not known. A list that was there is shown until the next one is. */
export function useTeams(realm: RealmModel): TeamInfo[] | null {
  const app = useApp()
  const live = app.live.value
  const asking = app.pending.value.some((p) => p.frame.type === 'team:list')
  const [asked, setAsked] = useState(false)
  const kept = useRef<TeamInfo[] | null>(realm.teams)
  if (realm.teams !== null) kept.current = realm.teams
  const here = realm.teams !== null
  useEffect(() => {
    if (!live || asking || (asked && here)) return
    setAsked(true)
    app.talks.teams() // each time that the dialog opens: files of teams change
  }, [app, live, asking, asked, here])
  return kept.current
}
