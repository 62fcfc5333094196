// Puts the page together: storage, state, net, and which screen is shown. Views
// get an App: they read its signals and call its methods, and never see a socket.
import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import { Drafts } from './identity/drafts'
import { IdentityKeeper, type Identity } from './identity/identity'
import type { Shelf } from './identity/storage'
import type { Tab } from './identity/tab'
import type { Socket, Status } from './net/connection'
import { Outbox, sayingOf, type CommandFrame, type Pending, type SendResult } from './net/outbox'
import type { ErrorFrame, ServerInfo } from './net/protocol.gen'
import { Session } from './net/session'
import { freshChoice, type Choice } from './state/board'
import type { Model } from './state/model'
import { isHost } from './state/select'
import { Store } from './state/store'
import { Talks } from './talks'

/** boot: the storage knows a game; the server has not said yet whether it goes on. */
export type Screen = 'boot' | 'splash' | 'setup' | 'game'

export interface AppWiring {
  open: () => Socket
  random: () => number
  browser: Shelf
  tabShelf: Shelf
  tab: Tab
  /** The least time between two drawings in milliseconds, 0 for none. */
  drawEvery: number
}

/** Why the setup is shown to somebody who was in a game. */
export type SetupReason = { kind: 'none' } | { kind: 'gone'; name: string } | { kind: 'chosen' }

export class App {
  readonly drafts: Drafts
  /** Conversations: which one is shown, and what is asked of them. */
  readonly talks: Talks
  readonly #keeper: IdentityKeeper
  readonly #store: Store
  readonly #outbox: Outbox
  readonly #session: Session
  readonly #tab: Tab
  readonly #screen: Signal<Screen>
  readonly #identity: Signal<Identity | null>
  readonly #reason = signal<SetupReason>({ kind: 'none' })
  /** The realm whose game is shown. */
  #here: string | null = null
  #starting: string | null = null

  constructor(wiring: AppWiring) {
    this.#store = new Store(wiring.drawEvery)
    this.#keeper = new IdentityKeeper(wiring.browser)
    this.shelf = wiring.browser
    this.drafts = new Drafts(wiring.browser)
    this.#tab = wiring.tab
    this.#identity = signal(this.#keeper.identity())
    this.#screen = signal(this.#firstScreen())
    this.#outbox = new Outbox({
      read: () => wiring.tabShelf.get('pending'),
      write: (text) => wiring.tabShelf.set('pending', text),
    })
    // The original of a copied tab still has these, and sends them.
    if (wiring.tab.copied) this.#outbox.clear()
    this.#session = new Session({
      open: wiring.open,
      random: wiring.random,
      store: this.#store,
      outbox: this.#outbox,
      who: () => this.#who(),
      wanted: (info) => this.#decide(info),
      onWelcome: (realmId, asked) => this.#welcomed(realmId, asked),
    })
    this.talks = new Talks({
      model: this.#store.model,
      pending: this.#outbox.list,
      shelf: wiring.browser,
      send: (frame) => this.send(frame),
      discard: (id) => this.discard(id),
      change: (how) => this.#store.change(how),
    })
    effect(() => {
      const seat = this.model.me?.seat
      if (seat) this.#keeper.setSeat(seat)
    })
    effect(() => this.#followStart(this.pending.value))
    effect(() => this.#forget(this.model))
  }

  /** What is known, in slices: whoever reads a field of it depends on that field. */
  get model(): Model {
    return this.#store.model
  }

  get connection(): ReadonlySignal<Status> {
    return this.#session.connection.status
  }

  /** How the connection stands, for a person who looks for what is wrong. */
  get connectionNow(): unknown {
    return this.#session.connection.snapshot
  }

  /** Attached to the server: what is shown is what there is. */
  readonly live = computed(() => {
    const s = this.connection.value
    return s.state === 'open' && s.welcomed
  })

  get pending(): ReadonlySignal<readonly Pending[]> {
    return this.#outbox.list
  }

  /** What the reader chose of this browser's page: not worth telling the server. */
  readonly shelf: Shelf

  /** What the reader chose of the findings, while the page lives. */
  readonly board = signal<Choice>(freshChoice())

  /** What the drawn map shows, for tests; null where it is not drawn. */
  get drawnMap(): unknown {
    return this.#drawnMap()
  }

  watchMap(look: () => unknown): void {
    this.#drawnMap = look
  }

  #drawnMap: () => unknown = () => null

  get screen(): ReadonlySignal<Screen> {
    return this.#screen
  }

  get identity(): ReadonlySignal<Identity | null> {
    return this.#identity
  }

  /** Why the server did not take the name; null when it did. */
  get nameRefusal(): ReadonlySignal<ErrorFrame | null> {
    return this.#session.registerRefusal
  }

  get setupReason(): ReadonlySignal<SetupReason> {
    return this.#reason
  }

  /** Whether this page may change things, as far as it knows. */
  readonly host = computed(() => isHost(this.model))

  /** The realm whose game this browser was in last. */
  get lastRealmId(): string | null {
    return this.#keeper.realmId()
  }

  start(): void {
    this.#session.connection.start()
  }

  /** Hands a command over; it stays in pending until it is answered. */
  send(frame: CommandFrame): SendResult {
    return this.#outbox.add(frame, this.#store.position()?.realmId ?? null)
  }

  /** Takes a command back, or puts away a refusal that has been read. */
  discard(requestId: string): void {
    if (this.#starting === requestId) this.#starting = null
    this.#outbox.discard(requestId)
  }

  /** Takes the reader into a room; a walk that has not been sent yet gives way to it. */
  walk(path: string): void {
    if (this.model.me === null) return
    for (const p of this.pending.value)
      if (p.frame.type === 'player:navigate-enter' && p.status !== 'sent') this.discard(p.requestId)
    this.send({ type: 'player:navigate-enter', path })
  }

  /** Takes the reader to the room before. */
  walkBack(): void {
    if (this.model.me !== null) this.send({ type: 'player:navigate-back' })
  }

  /** Answers in a role. */
  answer(conversationId: string, content: string, memberId?: string): SendResult {
    return this.talks.say(conversationId, content, memberId)
  }

  /** Words that go back into the prompt, because they were taken back or refused. */
  readonly returned = signal('')

  /** Takes words back from the way to the server and puts them where they are written. */
  takeBack(p: Pending): void {
    const where = p.frame.type === 'chat.send' ? p.frame.conversationId : ''
    if (where === '' || where === this.model.realm?.world.processState.conversationId) this.returned.value = sayingOf(p)
    else this.talks.returned.value = { conversationId: where, text: sayingOf(p) }
    this.discard(p.requestId)
  }

  /**
   * Starts a process and goes where it runs once the server has begun it: in the realm at hand, a folder, or nowhere in
   * particular.
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

  /** From the splash to the setup. */
  begin(): void {
    this.#screen.value = 'setup'
  }

  /** Leaves the game's screen; the realm goes on. */
  chooseRealm(): void {
    this.#reason.value = { kind: 'chosen' }
    this.#screen.value = 'setup'
  }

  /** Shows the game of the realm that this socket watches. */
  enter(): void {
    const realm = this.#store.current.welcome?.realmId ?? null
    if (realm === null) return
    this.#here = realm
    this.#reason.value = { kind: 'none' }
    this.#keeper.entered(realm)
    this.#screen.value = 'game'
  }

  /** After the person at this page was erased: somebody new comes to the door. */
  beginAgain(): void {
    this.#identity.value = null
    this.#here = null
    this.#screen.value = 'splash'
  }

  retryNow(): void {
    this.#session.connection.retryNow()
  }

  /** The network is back, or somebody looks at the page again. */
  wake(): void {
    this.#session.connection.wake()
  }

  /** Goes on in this tab although another has the same seat and tab. */
  continueHere(): void {
    this.#tab.renew()
    this.#session.connection.retryNow()
  }

  /** Puts the restored notice away. */
  dismissRestored(): void {
    this.#store.change((m) => (m.realm ? { ...m, realm: { ...m.realm, restored: null } } : m))
  }

  #firstScreen(): Screen {
    if (this.#identity.value === null) return 'splash'
    return this.#keeper.phase() === 'playing' && this.#keeper.realmId() !== null ? 'boot' : 'setup'
  }

  /**
   * A reload lands in the game without a click where server and storage agree
   * (S3-09), else in the setup (S3-10). It only reads the storage: a page that
   * wrote the server's realm first would compare it with itself (B15).
   */
  #decide(info: ServerInfo): string | null {
    if (this.#screen.value !== 'boot') return null
    const known = this.#keeper.realmId()
    if (info.gamePhase === 'playing' && known !== null && info.realmId === known) {
      this.#here = known
      this.#screen.value = 'game'
      return known
    }
    this.#screen.value = 'setup'
    return null
  }

  #who(): ReturnType<ConstructorParameters<typeof Session>[0]['who']> {
    const identity = this.#identity.value
    if (identity === null) return null
    const seat = this.#keeper.seat()
    return { ...identity, ...(seat ? { seat } : {}), tab: this.#tab.id }
  }

  #welcomed(realmId: string | null, asked: boolean): void {
    if (realmId !== null && asked && this.#identity.value !== null) {
      this.drafts.set('path', '')
      this.enter()
      return
    }
    if (this.#screen.value !== 'game' || realmId === this.#here) return
    // The game that was shown is not there any more.
    const old = this.#here
    const name = this.model.realm?.id === old ? this.model.realm?.world.realm.name : undefined
    this.#here = null
    this.#keeper.left()
    this.#reason.value = { kind: 'gone', name: name ?? old ?? '' }
    this.#screen.value = 'setup'
  }

  /** Ids whose erasure has been seen to, so that a draft begun later is not taken for an old one. */
  #forgotten: readonly string[] = []

  /**
   * What was erased leaves no draft and no waiting command behind. Whoever was erased
   * themselves is nobody here from then on: the next name is a new person's.
   */
  #forget(m: Model): void {
    const erased = m.realm?.world.erased ?? this.#forgotten
    if (m.realm === null || erased === this.#forgotten) return
    const news = erased.filter((id) => !this.#forgotten.includes(id))
    this.#forgotten = erased
    untracked(() => {
      for (const id of news) this.drafts.forget(id)
      // The erasure itself waits for its receipt.
      this.#outbox.drop(
        (p) =>
          p.frame.type !== 'history:erase' &&
          'conversationId' in p.frame &&
          news.includes(p.frame.conversationId ?? ''),
      )
      this.talks.forget(news)
      if (m.me === null || !erased.includes(m.me.spectatorId)) return
      this.drafts.clear()
      this.returned.value = ''
      this.#outbox.drop((p) => p.frame.type !== 'history:erase')
      this.#keeper.forget()
      this.#keeper.left()
      this.#store.change((now) => ({ ...now, me: null }))
      // Who asked for it at this page reads the receipt first.
      if (this.talks.erasing.value?.what !== 'me') this.beginAgain()
    })
  }

  /** A start that has been answered leads into the game. */
  #followStart(list: readonly Pending[]): void {
    const id = this.#starting
    if (id === null) return
    const pending = list.find((p) => p.requestId === id)
    if (pending?.status === 'refused') this.#starting = null
    if (pending !== undefined) return
    this.#starting = null
    this.drafts.set('problem', '')
    this.enter()
  }
}
