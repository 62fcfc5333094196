// App connects storage, state and network, and decides which screen is shown. Components read its signals and call its
// methods; they never use a socket.
import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import { Accepted } from './accepted'
import { Drafts } from './identity/drafts'
import { IdentityKeeper, type Identity } from './identity/identity'
import { freeColor, suggestIdentity } from './identity/suggest'
import type { SafeStorage } from './identity/storage'
import { keepTheme, themeOf, type Theme } from './identity/theme'
import type { Tab } from './identity/tab'
import type { Socket, Status } from './net/connection'
import {
  isSaying,
  needsName,
  Outbox,
  questionOf,
  sayingOf,
  type CommandFrame,
  type Pending,
  type SendResult,
} from './net/outbox'
import type { ErrorFrame, ServerInfo } from './net/protocol.gen'
import { readAccepted } from './net/files'
import { Session } from './net/session'
import { filterFor, filterShowing, noFilter, type FindingsFilter } from './state/findings'
import { listenerOf } from './state/guide'
import type { Model } from './state/model'
import { foldersOf, isHost } from './state/select'
import { Store } from './state/store'
import { Watching } from './watching'
import { Conversations } from './conversations'
import { noBar, Places, type AddressBar } from './places'
import { speedOf, type Speed } from './speech-speed'

const SPEECH_SPEED = 'speechSpeed'

/** The dialogs that a button of the game screen opens. */
export type DialogName = 'menu' | 'preferences' | 'settings' | 'share' | 'start'

/** boot: the address or the storage names a realm, and the server has not reported yet whether that realm is open. */
export type Screen = 'boot' | 'splash' | 'setup' | 'game'

export interface AppWiring {
  open: () => Socket
  random: () => number
  browser: SafeStorage
  tabStorage: SafeStorage
  tab: Tab
  /** The browser's address bar; absent if the page must neither read nor change the address. */
  bar?: AddressBar
  /** The minimum time between two redraws, in milliseconds; 0: every change redraws at once. */
  drawEvery: number
}

/**
 * Why the page shows the setup. none: the page shows no reason; begun if the person came from the start screen, which
 * has a button of its own for a review. gone: the server no longer has the realm open that the page showed before.
 * nowhere: the address names a realm that this person cannot see. chosen: the person left the realm.
 */
export type SetupReason =
  { kind: 'none'; begun?: true } | { kind: 'nowhere' } | { kind: 'gone'; name: string } | { kind: 'chosen' }

export class App {
  /** The findings that the linked repository accepts. */
  readonly accepted: Accepted
  readonly drafts: Drafts
  /** Chooses the conversation that is shown and sends the commands about conversations. */
  readonly conversations: Conversations
  /** Whether the director or the person moves the camera of the map. */
  readonly watching: Watching
  /**
   * The place (realm, folder, file, finding or conversation) that the page shows, kept in step with the address bar.
   */
  readonly places: Places
  readonly #keeper: IdentityKeeper
  readonly #store: Store
  readonly #outbox: Outbox
  readonly #session: Session
  readonly #tab: Tab
  readonly #screen: Signal<Screen>
  readonly #identity: Signal<Identity | null>
  readonly #reason = signal<SetupReason>({ kind: 'none' })
  /** The realm that the game screen shows. */
  #shownRealm: string | null = null
  #starting: string | null = null

  constructor(wiring: AppWiring) {
    this.#store = new Store(wiring.drawEvery)
    this.#keeper = new IdentityKeeper(wiring.browser)
    this.storage = wiring.browser
    this.accepted = new Accepted(readAccepted)
    this.watching = new Watching(wiring.tabStorage, wiring.browser)
    this.theme.value = themeOf(wiring.browser)
    this.speechSpeed.value = speedOf(wiring.browser.get(SPEECH_SPEED))
    this.drafts = new Drafts(wiring.browser)
    this.#tab = wiring.tab
    this.places = new Places(wiring.bar ?? noBar)
    this.places.onReturn = (realmId) => this.#returned(realmId)
    this.#identity = signal(this.#keeper.identity())
    this.#suggestion = suggestIdentity(wiring.random)
    this.#screen = signal(this.#firstScreen())
    this.#outbox = new Outbox({
      read: () => wiring.tabStorage.get('pending'),
      write: (text) => wiring.tabStorage.set('pending', text),
    })
    // A copied tab starts with a copy of the pending commands. The original tab sends them.
    if (wiring.tab.copied) this.#outbox.clear()
    this.#session = new Session({
      open: wiring.open,
      random: wiring.random,
      store: this.#store,
      outbox: this.#outbox,
      who: () => this.#who(),
      wanted: (info) => this.#realmToEnter(info),
      onWelcome: (realmId, asked) => this.#welcomed(realmId, asked),
    })
    this.conversations = new Conversations({
      model: this.#store.model,
      pending: this.#outbox.list,
      storage: wiring.browser,
      send: (frame) => this.send(frame),
      change: (how) => this.#store.change(how),
    })
    effect(() => {
      const seat = this.model.me?.seat
      if (seat) this.#keeper.setSeat(seat)
    })
    effect(() => this.#followStart(this.pending.value))
    effect(() => this.#forgetErased(this.model))
    effect(() => {
      const [realmId] = this.#folder.value.split(' ')
      if (realmId) void this.accepted.read(realmId)
    })
  }

  /** The state that components draw. A component or effect depends only on the fields it reads. */
  get model(): Model {
    return this.#store.model
  }

  get connection(): ReadonlySignal<Status> {
    return this.#session.connection.status
  }

  /** The connection's counters and times, for debugging. */
  get connectionSnapshot(): unknown {
    return this.#session.connection.snapshot
  }

  /** When the server said something for the last time, in milliseconds of Date.now. */
  get heardAt(): number {
    return this.#session.connection.heardAt
  }

  /**
   * Whether the server has answered the hello of this page's socket. Until then the state that the page shows can be
   * outdated.
   */
  readonly live = computed(() => {
    const s = this.connection.value
    return s.state === 'open' && s.welcomed
  })

  /**
   * The id of the realm and the generation of its map, which changes with the folder. '' if there is no finding, no
   * linked folder or no connection, because then the server is not asked what is accepted.
   */
  readonly #folder = computed(() => {
    const realm = this.live.value ? this.model.realm : null
    const none = !realm?.world.realm.path || realm.world.findings.length === 0
    return none ? '' : `${realm.id} ${realm.world.map.generation}`
  })

  get pending(): ReadonlySignal<readonly Pending[]> {
    return this.#outbox.list
  }

  /**
   * The browser's storage, for settings that only this browser remembers, such as whether the map is a drawing or a
   * list.
   */
  readonly storage: SafeStorage

  /** The theme that the person chose, which this browser remembers. */
  readonly theme = signal<Theme>('system')

  setTheme(theme: Theme): void {
    this.theme.value = theme
    keepTheme(this.storage, theme)
  }

  /** The speed of speech on the map, which this browser remembers. */
  readonly speechSpeed = signal<Speed>('normal')

  setSpeechSpeed(speed: Speed): void {
    this.speechSpeed.value = speed
    this.storage.set(SPEECH_SPEED, speed)
  }

  /**
   * What lies over the game screen: the command palette, the list of keys, or the legend of the map; null for nothing.
   */
  readonly lookup = signal<'palette' | 'keys' | 'legend' | null>(null)
  /** The dialog over the game screen; null for none. */
  readonly dialog = signal<DialogName | null>(null)

  /** How the findings are filtered; lost when the page closes. */
  readonly findingsFilter = signal<FindingsFilter>(noFilter())

  /** The finding to which a link led and that the realm does not have; '' for none. */
  readonly deadFinding = signal('')

  /** Opens a finding in the list of findings, and changes the filter if it hides the finding. */
  showFinding(id: string): void {
    const realm = this.model.realm
    if (realm === null) return
    const { findings, mapTree } = realm.world
    const filter = filterFor(this.findingsFilter.peek(), realm.id)
    this.findingsFilter.value = filterShowing(findings, filter, foldersOf(mapTree), id)
  }

  /** The state of the drawn map, for tests; null while the map is a list. */
  get drawnMap(): unknown {
    return this.#drawnMap()
  }

  exposeMap(look: () => unknown): void {
    this.#drawnMap = look
  }

  #drawnMap: () => unknown = () => null

  get screen(): ReadonlySignal<Screen> {
    return this.#screen
  }

  get identity(): ReadonlySignal<Identity | null> {
    return this.#identity
  }

  readonly #suggestion: Identity

  /** A name and a colour for a person who has none yet. */
  get suggestion(): Identity {
    const { name, color } = this.#suggestion
    const taken = this.model.spectators.list.map((s) => s.color)
    return { name, color: freeColor(color, taken) }
  }

  /** Whether a command waits for the name of the person. */
  readonly naming = computed(() => this.identity.value === null && this.pending.value.some(waitsForName))

  /** Takes back the commands that wait for a name: the person does not want to enter one. */
  staySilent(why: string): void {
    for (const p of this.pending.value.filter(waitsForName)) {
      if (isSaying(p)) this.takeBack(p)
      else this.#outbox.failed(p.requestId, { code: 'not_allowed', message: why })
    }
  }

  /** Why the server refused the name or the colour; null if the server accepted both. */
  get nameRefusal(): ReadonlySignal<ErrorFrame | null> {
    return this.#session.registerRefusal
  }

  get setupReason(): ReadonlySignal<SetupReason> {
    return this.#reason
  }

  /** Whether the person at this page is a host. */
  readonly host = computed(() => isHost(this.model))

  /** Whether the person at this page may open files of the linked folder (P19.2). */
  readonly reads = computed(() => this.host.value || this.model.realm?.world.settings.filesFor === 'everybody')

  /** The realm that this browser showed last. */
  get lastRealmId(): string | null {
    return this.#keeper.realmId()
  }

  start(): void {
    this.#session.connection.start()
  }

  /** Queues a command; it stays in pending until the server answers it. */
  send(frame: CommandFrame): SendResult {
    return this.#outbox.add(frame, this.#store.position()?.realmId ?? null)
  }

  /**
   * Queues a text outside of a conversation: a slash command, or a message to everybody in the realm or to the
   * member that /focus chose. typedIn: the conversation in whose composer it was typed, where its answer is shown;
   * "" for none. If the command opens a conversation, the page shows that conversation.
   */
  command(text: string, typedIn = ''): SendResult {
    const frame: CommandFrame = { type: this.host.value ? 'player:command' : 'spectator:command', text }
    const result = this.#outbox.add(frame, this.#store.position()?.realmId ?? null, typedIn)
    if (result.ok) this.conversations.follow(result.requestId, text)
    return result
  }

  /** Drops a pending command. If the server has refused the command, this closes its notice. */
  discard(requestId: string): void {
    if (this.#starting === requestId) this.#starting = null
    this.#outbox.settle(requestId)
  }

  /**
   * Discards the refused commands of a type, so that their notices close. Called before such a command is sent again.
   */
  discardRefused(type: CommandFrame['type']): void {
    for (const p of this.pending.value) if (p.frame.type === type && p.status === 'refused') this.discard(p.requestId)
  }

  /** Moves the person into a room. Drops moves that have not been sent yet. */
  walk(path: string): void {
    const realmId = this.#shownRealm
    if (realmId !== null) this.places.go({ kind: 'folder', realmId, path })
    if (this.model.me === null) return
    for (const p of this.pending.value)
      if (p.frame.type === 'player:navigate-enter' && p.status !== 'sent') this.discard(p.requestId)
    this.send({ type: 'player:navigate-enter', path })
  }

  /** Moves the person to the previous room. */
  walkBack(): void {
    if (this.model.me !== null) this.send({ type: 'player:navigate-back' })
  }

  /**
   * The text of a message that the person took back or the server refused. The page's text box
   * takes the text back.
   */
  readonly returned = signal('')

  /** Drops a waiting or refused message, and puts its text back into the text box in which it was typed. */
  takeBack(p: Pending): void {
    const where = p.frame.type === 'chat.send' ? p.frame.conversationId : (p.typedIn ?? '')
    const said = sayingOf(p)
    // If the guide (state/guide.ts) gets the person's texts, the page has put "/ask ID" before the text. Remove that.
    const listener = listenerOf(this.model)
    const text = listener && said.startsWith(`/ask ${listener.id} `) ? questionOf(said) : said
    if (where === '' || where === this.model.realm?.world.processState.conversationId) this.returned.value = text
    else this.conversations.returned.value = { conversationId: where, text: said }
    this.discard(p.requestId)
  }

  /**
   * Starts a process. at.path: links this folder first, and starts the process in the folder's realm. at.bare: starts
   * the process in a new realm without a folder. Without both: starts it in the current realm. The page enters the
   * realm when the server has started the process.
   */
  startProcess(problem: string, templateId: string, at: { path?: string; bare?: boolean } = {}): SendResult {
    const result = this.send({
      type: 'player:start-process',
      problem,
      ...(templateId ? { templateId } : {}),
      ...(at.path ? { path: at.path } : {}),
      ...(at.bare ? { bare: true } : {}),
    })
    if (result.ok) this.#starting = result.requestId
    return result
  }

  setIdentity(identity: Identity): void {
    const old = this.#identity.value
    this.#identity.value = identity
    this.#keeper.setIdentity(identity)
    if (old?.name !== identity.name || old.color !== identity.color || this.model.me === null) this.#session.register()
  }

  /** Goes from the start screen to the setup. */
  begin(): void {
    this.#reason.value = { kind: 'none', begun: true }
    this.#screen.value = 'setup'
  }

  /** Goes from the setup back to the start screen. */
  showStart(): void {
    this.#screen.value = 'splash'
  }

  /** Leaves the game screen; the realm stays open. */
  chooseRealm(): void {
    this.#reason.value = { kind: 'chosen' }
    this.#screen.value = 'setup'
    this.places.left()
  }

  /** Shows the game screen for the realm that this socket watches. */
  enter(): void {
    const realm = this.#store.current.welcome?.realmId ?? null
    if (realm === null) return
    this.#shownRealm = realm
    this.#reason.value = { kind: 'none' }
    this.#keeper.entered(realm)
    this.#screen.value = 'game'
    this.places.entered(realm)
    this.watching.enter(realm)
  }

  /** Shows the start screen after the name and the messages of the person at this page were erased. */
  beginAgain(): void {
    this.#identity.value = null
    this.#shownRealm = null
    this.#screen.value = 'splash'
  }

  retryNow(): void {
    this.#session.connection.retryNow()
  }

  /** Reconnects or checks the connection: the network is back, or the page became visible. */
  wake(): void {
    this.#session.connection.wake()
  }

  /** Finds out, while somebody looks at the page, whether a silent server is still there. */
  probe(): void {
    this.#session.connection.probe()
  }

  /** Connects this tab with a new tab id, after another tab connected with the same seat and tab id. */
  continueHere(): void {
    this.#tab.renew()
    this.#session.connection.retryNow()
  }

  /** Closes the notice of a restored realm. */
  dismissRestored(): void {
    this.#store.change((m) => (m.realm ? { ...m, realm: { ...m.realm, restored: null } } : m))
  }

  #firstScreen(): Screen {
    // A person without a name can look at a realm, so an address that names a realm needs no name.
    if (this.places.wantedRealm !== null) return 'boot'
    if (this.#identity.value === null && !this.#keeper.isNameless()) return 'splash'
    return this.#keeper.phase() === 'playing' && this.#keeper.realmId() !== null ? 'boot' : 'setup'
  }

  /**
   * Chooses the first screen. If the server has the realm open that the storage names, the page enters that realm
   * without a click (S3-09), else the page shows the setup (S3-10). The page does not write the id of the server's
   * realm into the storage before this comparison, because the comparison would otherwise find two equal ids every
   * time (B15).
   */
  #realmToEnter(info: ServerInfo): string | null {
    if (this.places.wantedRealm !== null) return this.places.wantedRealm
    if (this.#screen.value !== 'boot') return null
    const known = this.#keeper.realmId()
    if (info.gamePhase === 'playing' && known !== null && info.realmId === known) {
      this.#shownRealm = known
      this.#screen.value = 'game'
      this.places.entered(known)
      this.watching.enter(known)
      return known
    }
    this.#screen.value = 'setup'
    return null
  }

  /** Shows or leaves the game screen when the person uses the browser's back and forward buttons. */
  #returned(realmId: string | null): void {
    if (realmId === null) {
      if (this.#screen.value === 'game') this.chooseRealm()
    } else if (this.#store.current.welcome?.realmId === realmId) this.enter()
    else this.places.giveUp()
  }

  #who(): ReturnType<ConstructorParameters<typeof Session>[0]['who']> {
    const identity = this.#identity.value
    if (identity === null) return null
    const seat = this.#keeper.seat()
    return { ...identity, ...(seat ? { seat } : {}), tab: this.#tab.id }
  }

  #welcomed(realmId: string | null, asked: boolean): void {
    const wanted = this.places.wantedRealm
    if (wanted !== null && realmId !== wanted) {
      this.places.giveUp()
      this.#reason.value = { kind: 'nowhere' }
      if (this.#screen.value === 'boot') this.#screen.value = 'setup'
      return
    }
    if (wanted !== null) {
      this.enter()
      return
    }
    // A spectator cannot start anything, so the page enters the realm as soon as a host opens one.
    const watches = this.#screen.value === 'splash' && !isHost(this.#store.current)
    if (realmId !== null && (asked || watches)) {
      if (asked) this.drafts.set('path', '')
      this.enter()
      return
    }
    if (this.#screen.value !== 'game' || realmId === this.#shownRealm) return
    // The server no longer has the realm open that the game screen showed.
    const old = this.#shownRealm
    const name = this.model.realm?.id === old ? this.model.realm?.world.realm.name : undefined
    this.#shownRealm = null
    this.#keeper.left()
    this.places.left()
    this.#reason.value = { kind: 'gone', name: name ?? old ?? '' }
    this.#screen.value = 'setup'
  }

  /** Ids of erased conversations and persons whose drafts were deleted already. Drafts that were typed later stay. */
  #handledErased: readonly string[] = []

  /**
   * Deletes drafts and pending commands of erased conversations and persons. If the person at this page was erased,
   * the next name that is entered registers a new person.
   */
  #forgetErased(m: Model): void {
    const erased = m.realm?.world.erased ?? this.#handledErased
    if (m.realm === null || erased === this.#handledErased) return
    const news = erased.filter((id) => !this.#handledErased.includes(id))
    this.#handledErased = erased
    untracked(() => {
      for (const id of news) this.drafts.forget(id)
      // The history:erase command itself stays pending until its receipt arrives.
      this.#outbox.drop(
        (p) =>
          p.frame.type !== 'history:erase' &&
          'conversationId' in p.frame &&
          news.includes(p.frame.conversationId ?? ''),
      )
      this.conversations.forget(news)
      if (m.me === null || !erased.includes(m.me.spectatorId)) return
      this.drafts.clear()
      this.returned.value = ''
      this.#outbox.drop((p) => p.frame.type !== 'history:erase')
      this.#keeper.forget()
      this.#keeper.left()
      this.#store.change((now) => ({ ...now, me: null }))
      // If this page asked for the erasure, the person reads the receipt first, and the erase dialog then calls
      // beginAgain.
      if (this.conversations.erasing.value?.what !== 'me') this.beginAgain()
    })
  }

  /** Enters the realm when the server has answered the start of a process. */
  #followStart(list: readonly Pending[]): void {
    const id = this.#starting
    if (id === null) return
    const pending = list.find((p) => p.requestId === id)
    if (pending?.status === 'refused') this.#starting = null
    if (pending !== undefined) return
    this.#starting = null
    for (const key of ['problem', 'template'] as const) this.drafts.set(key, '')
    this.enter()
    this.watching.action() // who starts a process wants to watch it
    this.conversations.showProcess(this.#shownRealm ?? '')
  }
}

/** Whether a command cannot be sent before the person has a name. */
function waitsForName(p: Pending): boolean {
  return p.status === 'waiting' && needsName(p.frame)
}
