// The game: the stage on top, the map in the middle, the talk beside it, and the
// prompt where the hands are. Offline it stays as it was, with grey edges.
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { createContext } from 'preact'
import type { ReadonlySignal } from '@preact/signals'
import { MapSection } from '../map/map-section'
import { useStanding, type Standing } from '../map/room-view'
import { Tree } from '../map/tree'
import { Artifacts } from '../panels/artifacts'
import { ConnectionBanner, SaveBanner, SaveChip } from '../panels/banner'
import { Completion } from '../panels/completion'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { EraseDialog } from '../panels/erase'
import { Findings } from '../panels/findings'
import { Shield, StateMark } from '../panels/marks'
import { PromptBar } from '../panels/prompt-bar'
import { Quests } from '../panels/quests'
import { RestoredLine, SalvageNotice } from '../panels/restored'
import { Roster } from '../panels/roster'
import { SettingsDialog } from '../panels/settings'
import { kinds } from '../kinds/kinds'
import { talks } from '../kinds/list'
import { StageBar } from '../panels/stage-bar'
import { StartProcess } from '../panels/start-process'
import { Tabs, type TabSpec } from '../panels/tabs'
import { StartTalk } from '../panels/talk/start'
import { Talk } from '../panels/talk/talk'
import { choiceFor, holding, leadTo, openQuests } from '../state/board'
import { isUnread } from '../state/talks'
import { HALL } from '../talks'
import { foldersOf, myAsks, seats } from '../state/select'
import { activityWord, count, words } from '../words'
import { Boot } from './boot'
import type { Layout } from './layout'

export const LayoutContext = createContext<ReadonlySignal<Layout> | null>(null)

/** What the browser keeps while the map of a phone is hidden: by a tap, or because a conversation came forth. */
const MAP_HIDDEN = 'mapHidden'

type Tab = 'talk' | 'findings' | 'quests' | 'artifacts' | 'roster'

export function Game() {
  const app = useApp()
  const layout = useContext(LayoutContext)?.value ?? 'desk'
  const m = app.model.value
  const { realm } = m
  const standing = useStanding(realm?.id ?? '')
  const [tab, setTab] = useState<Tab>('talk')
  const [dialog, setDialog] = useState<'settings' | 'start' | null>(null)
  const [mapHidden, hideMap] = useState(() => app.shelf.get(MAP_HIDDEN) !== null)
  /** Somebody who is to answer looks at the map all the same. */
  const [mapWanted, setMapWanted] = useState(false)
  /** Only on a phone something lies over the map, so only there it is remembered. */
  const showMap = (on: boolean) => {
    hideMap(!on)
    setMapWanted(on)
    if (layout !== 'phone') return
    if (on) app.shelf.remove(MAP_HIDDEN)
    else app.shelf.set(MAP_HIDDEN, '1')
  }
  /** The completed process whose result has been put away. */
  const [read, setRead] = useState('')
  const asked = myAsks(m).length > 0
  const name = realm?.world.realm.name ?? ''
  useEffect(() => {
    document.title = asked ? `● ${name} · ${words.roster.yourTurn}` : name ? `${name} · ${words.game}` : words.game
    return () => {
      document.title = words.game
    }
  }, [asked, name])

  // A start that was answered closes its dialog.
  const conversationId = realm?.world.processState.conversationId ?? ''
  useEffect(() => setDialog((d) => (d === 'start' ? null : d)), [conversationId])

  // Somebody asked for a conversation, from the map or the roster: it comes forth.
  const talkShown = app.talks.shown.value
  const before = useRef(talkShown)
  useEffect(() => {
    if (before.current === talkShown) return
    before.current = talkShown
    setTab('talk')
    if (layout === 'phone') showMap(false)
  }, [talkShown])

  const chosen = app.talks.chosen.value
  const shown = layout === 'desk' && tab === 'roster' ? 'talk' : tab
  // On a phone an answer is written with the talk in sight, not the map.
  const answering = asked || (shown === 'talk' && talks(m).some((t) => t.asked && t.conversationId === chosen))
  useEffect(() => {
    if (!answering) setMapWanted(false)
  }, [answering])
  const mapShown = layout !== 'phone' || (!mapHidden && (!answering || mapWanted))

  if (!realm) return <Boot />
  const p = realm.world.processState
  const finished = p.status === 'completed' && read !== p.conversationId
  const offline = !app.live.value
  const news =
    shown !== 'talk' &&
    talks(m).some((t) => t.asked || (t.conversationId !== p.conversationId && isUnread(t, app.talks.seen)))
  // A chat has its own place to write for hosts; where there is little room the prompt of the page gives way to it.
  const chatting =
    app.host.value &&
    layout !== 'desk' &&
    shown === 'talk' &&
    chosen !== '' &&
    chosen !== HALL &&
    chosen !== p.conversationId &&
    !asked
  const starting = app.talks.starting.value
  /** From a board to a room: the map comes forth where something lies over it. */
  const toRoom = (path: string) => {
    standing.go(path)
    showMap(true)
    if (finished) setRead(p.conversationId)
  }
  const toFinding = (id: string) => {
    const { findings, mapTree } = realm.world
    app.board.value = leadTo(findings, choiceFor(app.board.peek(), realm.id), foldersOf(mapTree), id)
    setTab('findings')
  }
  return (
    <div
      class={`game layout-${layout}${offline ? ' is-offline' : ''}${mapShown ? '' : ' map-hidden'}`}
      data-testid="game"
      data-realm={realm.id}
    >
      <header class="head">
        <Head
          onSettings={() => setDialog('settings')}
          mapShown={mapShown}
          onMap={layout === 'phone' ? () => showMap(!mapShown) : undefined}
        />
        <ConnectionBanner />
        <SaveBanner />
        <SalvageNotice />
        <RestoredLine />
        <StageBar onStart={() => setDialog('start')} onResult={finished ? null : () => setRead('')} />
      </header>
      {layout !== 'phone' && <Rail layout={layout} standing={standing} onRoster={() => setTab('roster')} />}
      {finished ? (
        <Completion
          realm={realm}
          onKeepReading={() => {
            setRead(p.conversationId)
            setTab('artifacts')
          }}
          onNew={() => setDialog('start')}
        />
      ) : (
        <MapSection key={realm.id} standing={standing} />
      )}
      <aside class="panel">
        <Tabs tabs={tabSpecs(layout)} current={shown} onPick={setTab} label={words.tabs.label}>
          {shown === 'talk' && <Talk realm={realm} phone={layout === 'phone'} key={realm.id} />}
          {shown === 'findings' && <Findings onGo={toRoom} />}
          {shown === 'quests' && <Quests onGo={toRoom} onFinding={toFinding} />}
          {shown === 'artifacts' && <Artifacts />}
          {shown === 'roster' && (
            <div class="scroll roster-tab">
              <Roster />
            </div>
          )}
        </Tabs>
      </aside>
      {!chatting && <PromptBar />}
      {app.talks.erasing.value && (
        <EraseDialog key={app.talks.erasing.value.id} realm={realm} erasing={app.talks.erasing.value} />
      )}
      {kinds().map((k) => k.Over && <k.Over key={k.name} realm={realm} />)}
      {starting && <StartTalk realm={realm} ask={starting} />}
      {dialog === 'settings' && <SettingsDialog onClose={() => setDialog(null)} />}
      {dialog === 'start' && (
        <Dialog title={words.stage.start} onClose={() => setDialog(null)} testid="start-dialog">
          <StartProcess places={[{ value: 'here', label: '', folder: !!realm.world.realm.path }]} />
        </Dialog>
      )}
    </div>
  )

  function tabSpecs(form: Layout): TabSpec<Tab>[] {
    const open = realm?.world
    const found = holding(open?.findings ?? [])
    const todo = openQuests(open?.quests ?? [])
    const out: TabSpec<Tab>[] = [
      { id: 'talk', label: words.tabs.talk, lit: asked || news },
      { id: 'findings', label: words.tabs.findings, badge: found > 0 ? count(found) : undefined },
      {
        id: 'quests',
        label: words.tabs.quests,
        badge: todo > 0 ? count(todo) : undefined,
        badgeLabel: words.quests.open(todo),
      },
      {
        id: 'artifacts',
        label: words.tabs.artifacts,
        badge: open?.artifacts.length ? count(open.artifacts.length) : undefined,
      },
    ]
    if (form !== 'desk') out.push({ id: 'roster', label: words.tabs.roster })
    return out
  }
}

function Head({
  onSettings,
  mapShown,
  onMap,
}: {
  onSettings: () => void
  mapShown: boolean
  onMap: (() => void) | undefined
}) {
  const app = useApp()
  const m = app.model.value
  const status = app.live.value
  const waiting = app.pending.value.filter(
    (p) => p.status === 'waiting' && p.realmId !== null && p.realmId !== m.realm?.id,
  )
  return (
    <div class="head-row">
      <h1 title={m.realm?.world.realm.path}>
        {m.realm?.world.realm.name}
        {m.realm?.world.realm.path && <span class="quiet path">{m.realm.world.realm.path}</span>}
      </h1>
      <span
        class={status ? 'lamp lamp-on' : 'lamp'}
        role="img"
        aria-label={status ? words.connection.online : words.connection.offline}
        title={status ? words.connection.online : words.connection.offline}
      />
      <SaveChip />
      {waiting.length > 0 && <span class="chip">{words.talk.otherRealm(waiting.length)}</span>}
      <span class="head-buttons">
        {onMap && (
          <button type="button" class="ghost" aria-pressed={mapShown} data-testid="toggle-map" onClick={onMap}>
            {words.head.map}
          </button>
        )}
        {app.host.value && (
          <button type="button" class="ghost" data-testid="open-settings" onClick={onSettings}>
            {words.settings.open}
          </button>
        )}
        <button type="button" class="ghost" data-testid="open-realms" onClick={() => app.chooseRealm()}>
          {words.head.realms}
        </button>
      </span>
    </div>
  )
}

/** On a desk the roster and the rooms; on a tablet their shields alone. */
function Rail({ layout, standing, onRoster }: { layout: Layout; standing: Standing; onRoster: () => void }) {
  const app = useApp()
  if (layout === 'desk') {
    return (
      <div class="rail scroll">
        <Roster />
        <Tree standing={standing} />
      </div>
    )
  }
  const cast = seats(app.model.value)
  // A party's members, and others who are about, have no seat in a process.
  const others = (app.model.value.realm?.world.agents ?? []).filter(
    (a) => !cast.some((s) => s.casting.memberId === a.id),
  )
  return (
    <div class="rail rail-icons scroll">
      <button
        type="button"
        class="rail-button"
        onClick={() => standing.go('')}
        title={words.map.root}
        aria-label={words.map.root}
      >
        <StateMark state="waiting" />
      </button>
      {cast.map((s) => (
        <button
          key={s.role.id}
          type="button"
          class={s.doing === 'running' || s.doing === 'asked' ? 'rail-button lit' : 'rail-button'}
          onClick={onRoster}
          title={`${s.role.name}: ${words.roster.doing[s.doing]}`}
          aria-label={`${s.role.name}: ${words.roster.doing[s.doing]}`}
        >
          <Shield id={s.role.id} name={s.role.name} color={s.role.color} open={s.casting.kind === 'open'} />
        </button>
      ))}
      {others.map((a) => {
        const doing = words.roster.doing[a.status === 'running' ? 'running' : 'idle']
        const label = `${a.displayName}: ${activityWord(a.activity) || doing}`
        return (
          <button
            key={a.id}
            type="button"
            class={a.status === 'running' ? 'rail-button lit' : 'rail-button'}
            data-testid={`rail-${a.id}`}
            onClick={onRoster}
            title={label}
            aria-label={label}
          >
            <Shield id={a.id} name={a.displayName} color={a.color} />
          </button>
        )
      })}
    </div>
  )
}
