// The list of teams.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TeamInfo } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'

/** Asks for the teams. While a new list is loading, returns the previous one. */
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
    app.conversations.teams() // asks again each time that the dialog opens, because team files change
  }, [app, live, asking, asked, here])
  return kept.current
}
