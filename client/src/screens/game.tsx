// The game screen: stage bar, map, tabs and text box. While the connection is lost, it shows the last state.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { listConversations } from '../kinds/list-conversations'
import { Navigation } from '../map/navigation'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import type { World } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { myAsks, stageAt } from '../state/select'
import { Dialogs } from './dialogs'
import { FileLayer } from './file-layer'
import { GameHead } from './game-head'
import { Lookup } from './lookup'
import { MainView } from './main-view'
import { Rail } from './rail'
import { Side, type Tab } from './side'
import { SkipLink } from './skip-link'
import { TextBox } from './text-box'
import { useMapShown } from './use-map-shown'
import { useResult } from './use-result'
import { useTitlePlace } from './use-title-place'
import { useLayout } from './viewport'

export function Game({ realm }: { realm: RealmModel }) {
  const [app, layout] = [useApp(), useLayout()]
  const navigation = useMemo(() => new Navigation(app, realm), [app, realm])
  const [picked, pick] = useState<Tab>('talk')
  const tab = layout === 'desk' && picked === 'roster' ? 'talk' : picked
  const asked = useSelect(() => myAsks(app.model).length > 0, [app])
  const needed = useSelect(() => isAsked(app), [app])
  const [mapShown, showMap] = useMapShown(asked || (tab === 'talk' && needed))
  const result = useResult(realm, mapShown)
  const finished = result.shownId !== ''
  const own = finished && result.shownId === result.processId
  // Closes the start dialog when the process has started.
  useChange(result.processId, () => app.dialog.peek() === 'start' && (app.dialog.value = null))
  useChange(app.conversations.shownCount.value, () => {
    pick('talk')
    if (layout !== 'phone') return
    showMap(app.conversations.showsProcess, false) // a process is watched on the map
    result.close() // on a phone it would cover the conversation
  })
  useChange(app.watching.hero.value, (hero) => hero !== null && uncoverMap())
  const bare = useSelect(() => stageAt(realm) === null && hasAgents(realm.world), [realm])
  const title = useTitlePlace(realm, mapShown, finished)
  const uncoverMap = () => {
    showMap(true)
    if (finished) result.close()
  }
  const toRoom = (path: string, file = '') => {
    navigation.go(path, file)
    uncoverMap()
  }
  const start = () => {
    app.dialog.value = 'start'
  }
  /** Shows a tab. On a phone this closes the result, which covers the tabs. */
  const show = (to: Tab) => {
    pick(to)
    if (finished && layout === 'phone') result.close()
  }
  const ways = { onTab: show, onRoom: toRoom }
  const map = { realm, navigation, onFindings: () => pick('findings'), over: title.onMap }
  const toggleMap = () => (finished ? uncoverMap() : showMap(!mapShown))
  return (
    <div
      class={`game layout-${layout}${app.live.value ? '' : ' is-offline'}${mapShown ? '' : ' map-hidden'}`}
      data-testid="game"
      data-realm={realm.id}
    >
      <SkipLink />
      <GameHead
        realm={realm}
        mapShown={mapShown && !finished}
        onMap={layout === 'phone' ? toggleMap : null}
        onRoom={toRoom}
        onStart={bare && layout === 'phone' ? null : start}
        onResult={own ? null : result.open}
        title={title.inBar}
      />
      {layout !== 'phone' && (
        <Rail realm={realm} layout={layout} navigation={navigation} onRoster={() => show('roster')} />
      )}
      <main class="game-main">
        <MainView {...map} resultOf={result.shownId} onMap={uncoverMap} onTab={show} onNew={start} />
        <FileLayer {...ways} realm={realm} navigation={navigation} onResult={result.openOf} />
        <Side
          {...ways}
          realm={realm}
          tab={tab}
          result={own}
          covered={finished}
          asked={asked}
          onStart={bare ? start : null}
        />
        <TextBox realm={realm} tab={tab} result={finished} />
      </main>
      <Lookup {...ways} />
      <Dialogs realm={realm} />
    </div>
  )
}

/** Whether coding agents are on the map. */
function hasAgents({ agents }: World): boolean {
  return agents.some((a) => a.state)
}

/** Whether the chosen conversation waits for this person. Then a phone hides the map in favour of the conversation. */
function isAsked({ model, conversations }: ReturnType<typeof useApp>): boolean {
  return listConversations(model).some((t) => t.asked && t.conversationId === conversations.chosen.value)
}

/** Calls f with the value each time that it has changed. */
function useChange<T>(value: T, f: (value: T) => unknown): void {
  const before = useRef(value)
  useEffect(() => {
    if (before.current === value) return
    before.current = value
    f(value)
  })
}
