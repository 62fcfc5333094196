// The protocol over one connection: hello and welcome, registration, the position in the realm's history, gaps, and
// pending commands. Durable events are applied in order, and none is applied twice. After a missing event none is
// applied until the page has the missing one or a snapshot.
import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import type { Position, Store } from '../state/store'
import { judgeDelta } from '../state/views'
import { Connection, type Socket } from './connection'
import { encode, isEvent, newRequestId, parse, PROTOCOL } from './frames'
import { cancelId, isHeld, isLong, needsName, type Outbox } from './outbox'
import type { ClientFrame, ErrorFrame, EventFrame, Hello, Register, ServerFrame, Welcome } from './protocol.gen'

/** Returns the registration of the person at this page; null while no name is known. */
type Who = () => Omit<Register, 'type' | 'requestId'> | null

export interface SessionWiring {
  open: () => Socket
  random: () => number
  store: Store
  outbox: Outbox
  who: Who
  /** Returns the realm for the first hello, while the page has no world; null for none. */
  wanted: (info: Extract<ServerFrame, { type: 'server:info' }>) => string | null
  /** Reports which realm this socket watches. asked: whether a command of this page led to that realm. */
  onWelcome: (realmId: string | null, asked: boolean) => void
}

/** The maximum number of consecutive attempts to fill a gap by a replay. Then the page asks for a snapshot. */
const MAX_REHELLOS = 3
/**
 * The number of consecutive replays that end before the overlays (the text of open rows) arrive. Then the page asks
 * for a snapshot.
 */
const MAX_CUT_REPLAYS = 2
/** The number of frames that the page may fail to apply. After one more, the page stops and shows a notice. */
const MAX_FAULTS = 3
/**
 * How long the page waits for the overlay (the text so far) of an open row before it asks again, in milliseconds.
 */
const REPAIR_MS = 5_000
/**
 * The maximum number of consecutive attempts to repair streamed text. After them, the page begins to watch the
 * realm anew.
 */
const MAX_REPAIRS = 3
/** The page's own final close code: the page cannot read what the server sends. */
export const CLOSE_UNREADABLE = 4999
/** How long a held command waits before it is sent again, in milliseconds. */
export const HOLD_MS = 2_000

export class Session {
  readonly connection: Connection
  readonly #wiring: SessionWiring

  #greeted = false // server:info of this socket has arrived
  #hellos = 0 // sent and not yet answered
  #helloId = ''
  #registerId = ''
  #askedFrom: Position | null = null
  #fellBack = false
  #following: 'nothing' | 'snapshot' | 'events' = 'nothing'
  #ready = false // attached; commands may be sent
  #flushing = false
  #registering = false
  readonly #refusal = signal<ErrorFrame | null>(null)
  #rehellos = 0
  #replaying = false // welcomed with a replay whose overlays have not arrived
  #cutReplays = 0
  #pendingTeam = '' // the team:set whose first events are here
  #faults = 0
  #holding: ReturnType<typeof setTimeout> | undefined
  /**
   * The repairs under way, by conversation: a conversation needs one if its streamed text has a gap. requestId is the
   * request that fetches the text so far again (the frame overlays), or "" between two attempts. There are at most as
   * many repairs as messages that are being streamed.
   */
  readonly #repairs = new Map<string, { requestId: string; at: number; tries: number }>()

  constructor(wiring: SessionWiring) {
    this.#wiring = wiring
    this.connection = new Connection({
      open: wiring.open,
      random: wiring.random,
      onOpen: () => this.#reset(),
      onMessage: (data) => this.#receive(data),
      onLost: () => this.#lost(),
      probe: () => this.connection.send(encode({ type: 'player:list-realms' })),
    })
    // Tries to send the commands each time that the list of commands changes.
    effect(() => {
      void wiring.outbox.list.value
      untracked(() => this.#flush())
    })
  }

  /** Why the server refused this person's name or colour. */
  get registerRefusal(): ReadonlySignal<ErrorFrame | null> {
    return this.#refusal
  }

  /** Registers the person now if the server has sent its server:info on this socket, else as soon as it has. */
  register(): void {
    if (!this.#greeted) return
    const who = this.#wiring.who()
    if (who === null) return
    this.#registering = true
    this.#registerId = newRequestId()
    this.connection.send(encode({ type: 'spectator:register', requestId: this.#registerId, ...who }))
  }

  /** Watches another realm that the server has open. */
  watch(realmId: string): void {
    if (this.#greeted) this.#hello({ realmId })
  }

  #reset(): void {
    this.#greeted = this.#ready = this.#fellBack = this.#registering = this.#replaying = false
    this.#hellos = this.#rehellos = 0
    this.#following = 'nothing'
    this.#repairs.clear()
  }

  #lost(): void {
    if (this.#replaying) this.#cutReplays++
    this.#reset()
    clearTimeout(this.#holding)
    this.#holding = undefined
    this.#wiring.outbox.lost()
  }

  #receive(data: unknown): void {
    try {
      for (const frame of parse(data)) this.#take(frame)
    } catch (fault) {
      // A frame that cannot be applied must not leave the state half changed. So the page asks for a snapshot, at most
      // MAX_FAULTS times.
      console.error('a frame could not be applied', fault)
      if (++this.#faults > MAX_FAULTS) this.connection.stop(CLOSE_UNREADABLE)
      else this.#hello(this.#withoutPosition())
    } finally {
      this.#wiring.store.publish()
    }
  }

  #take(f: ServerFrame): void {
    if (isEvent(f)) {
      this.#event(f)
      return
    }
    switch (f.type) {
      case 'server:info':
        this.#wiring.store.take(f)
        if (!this.#greeted) this.#greet(f) // any later server:info begins a switch of the realm
        return
      case 'welcome':
        this.#welcome(f)
        return
      case 'world:state':
        if (this.#following !== 'snapshot') return
        this.#wiring.store.take(f)
        this.#following = 'events'
        this.#settleShown()
        return
      case 'overlays':
        if (this.#following !== 'events') return
        this.#wiring.store.take(f)
        this.#attached()
        return
      case 'chat.delta':
        this.#delta(f)
        return
      case 'error':
        this.#error(f)
        return
      case 'spectator:welcome':
        this.#registering = false
        this.#refusal.value = null
        this.#wiring.store.take(f)
        this.#flush()
        return
      case 'snapshot':
        this.#snapshot(f)
        return
      case 'conversation.listed':
        this.#wiring.store.take(f, this.#asked(f.requestId, 'conversation.list'))
        if (f.requestId) this.#wiring.outbox.settle(f.requestId)
        return
      case 'conversation.overtaken': // the command's own row arrives later
        this.#wiring.store.take(f)
        return
      case 'save:status':
        this.#wiring.store.take(f)
        if (f.state === 'saved') this.#flush(true)
        return
      default: {
        const typedIn = this.#typedIn(f)
        this.#answered(f)
        this.#wiring.store.take(f, typedIn ? { typedIn } : undefined)
      }
    }
  }

  /**
   * The conversation in which a person typed the command that the frame answers; undefined for the current process.
   */
  #typedIn(f: ServerFrame): string | undefined {
    if (f.type !== 'command:reply') return undefined
    return this.#wiring.outbox.list.value.find((p) => p.requestId === f.requestId)?.typedIn
  }

  /**
   * Removes the pending command that the frame answers: the one with its requestId. A progress report answers no
   * command.
   */
  #answered(f: ServerFrame): void {
    if (!('requestId' in f) || !f.requestId || f.type === 'realm:progress') return
    const cancelled = f.type === 'command:reply' && f.command === 'chat.cancel'
    this.#wiring.outbox.settle(cancelled ? cancelId(f.requestId) : f.requestId)
  }

  #greet(info: Extract<ServerFrame, { type: 'server:info' }>): void {
    this.#greeted = true
    const from = this.#wiring.store.position()
    const wanted = from ? null : this.#wiring.wanted(info)
    // Register before hello: no command is sent before the server knows whose command it is.
    this.register()
    if (this.#cutReplays >= MAX_CUT_REPLAYS) this.#hello(this.#withoutPosition())
    else this.#hello(from ?? (wanted ? { realmId: wanted } : {}))
  }

  #hello(from: Partial<Position>): void {
    this.#helloId = newRequestId()
    const frame: Hello = { type: 'hello', requestId: this.#helloId, protocol: PROTOCOL }
    if (from.realmId !== undefined) frame.realmId = from.realmId
    if (from.epoch !== undefined && from.seq !== undefined) {
      frame.epoch = from.epoch
      frame.lastSeq = from.seq
      if (from.mapGeneration !== undefined) frame.mapGeneration = from.mapGeneration
    }
    this.#askedFrom = this.#wiring.store.position()
    this.#following = 'nothing'
    this.#ready = false
    this.#repairs.clear() // the overlays of the attach repair everything
    if (!this.connection.open) return
    this.#hellos++
    this.connection.attaching()
    this.connection.send(encode(frame))
  }

  /**
   * Returns the fields of a hello for the shown realm without a position. The server answers such a hello with a
   * snapshot.
   */
  #withoutPosition(): Partial<Position> {
    const at = this.#wiring.store.position()
    return at ? { realmId: at.realmId } : {}
  }

  #welcome(f: Welcome): void {
    const moved = this.#hellos === 0 // there was no hello: the server moves this socket
    if (!moved && --this.#hellos > 0) return // answers an earlier hello: this page has sent another one since
    this.connection.welcomed()
    const before = this.#wiring.store.position()
    this.#wiring.store.take(f)
    if (f.continuity === 'replay') {
      // A replay must continue from the position that this page sent.
      if (
        before === null ||
        before.realmId !== f.realmId ||
        this.#askedFrom?.seq !== before.seq ||
        f.from > before.seq + 1
      ) {
        this.#hello(f.realmId === null ? {} : { realmId: f.realmId })
        return
      }
      this.#following = 'events'
      this.#replaying = true
    } else {
      this.#replaying = false
      this.#following = f.continuity === 'snapshot' ? 'snapshot' : 'nothing'
    }
    // If the server sends a snapshot in place of a damaged replay, the realm has not been switched.
    this.#wiring.onWelcome(f.realmId, moved && f.reason !== 'damaged' && this.#wiring.outbox.settleSwitch())
    if (f.continuity === 'none') this.#attached()
  }

  #attached(): void {
    this.#ready = true
    this.#replaying = false
    this.#cutReplays = 0
    this.#flush()
  }

  #event(f: EventFrame): void {
    if (this.#following !== 'events') return
    const at = this.#wiring.store.position()
    if (at === null || f.seq <= at.seq) {
      this.#settle(f)
      return
    }
    if (f.seq > at.seq + 1) {
      this.#reattach()
      return
    }
    this.#wiring.store.take(f)
    this.#rehellos = 0
    this.#settle(f)
  }

  /**
   * Removes the pending command that led to the event. The end of a run also removes the pending command that stops
   * the run.
   */
  #settle(f: EventFrame): void {
    const { outbox } = this.#wiring
    const led = outbox.list.value.find((p) => p.requestId === f.requestId)
    if (!led || !isLong(led.frame)) {
      if (f.requestId) outbox.settle(f.requestId)
    } else if (led.frame.type === 'team:set') this.#pendingTeam = led.requestId
    if (f.type === 'team:ready' && this.#pendingTeam !== '') {
      outbox.settle(this.#pendingTeam)
      this.#pendingTeam = ''
    }
    if (f.type === 'chat.cancelled' || f.type === 'chat.done' || f.type === 'chat.error')
      this.#wiring.outbox.settle(cancelId(f.requestId))
  }

  #delta(f: Extract<ServerFrame, { type: 'chat.delta' }>): void {
    if (this.#following !== 'events') return
    const streams = this.#wiring.store.current.realm?.streams ?? {}
    // Until the overlays (the text of open rows) arrive, streams has the text from before this connection. A gap
    // after that text means nothing.
    const judged = judgeDelta(streams, f)
    if (this.#ready && judged === 'gap') {
      this.#repair(f.conversationId)
      return
    }
    if (judged === 'next') this.#repairs.delete(f.conversationId)
    this.#wiring.store.take(f)
  }

  /**
   * Repairs streamed text of which a part is missing: asks for the overlay, or attaches again after MAX_REPAIRS
   * attempts.
   */
  #repair(conversationId: string): void {
    const before = this.#repairs.get(conversationId)
    if (before?.requestId && Date.now() - before.at < REPAIR_MS) return // the overlays were requested already
    const tries = (before?.tries ?? 0) + 1
    if (tries > MAX_REPAIRS) {
      this.#repairs.delete(conversationId)
      this.#reattach()
      return
    }
    const requestId = newRequestId()
    this.#repairs.set(conversationId, { requestId, at: Date.now(), tries })
    this.connection.send(encode({ type: 'conversation.open', requestId, conversationId, limit: 0 }))
  }

  #snapshot(f: Extract<ServerFrame, { type: 'snapshot' }>): void {
    if (this.#following !== 'events') return
    const repair = this.#repairs.get(f.conversationId)
    if (repair && repair.requestId === f.requestId) {
      this.#repairs.set(f.conversationId, { ...repair, requestId: '' })
      this.#wiring.store.take(f, { limit: 0 })
      return
    }
    this.#wiring.store.take(f, this.#asked(f.requestId, 'conversation.open'))
    if (f.requestId) this.#wiring.outbox.settle(f.requestId)
    this.#settleShown()
  }

  /** The pending read command that a frame answers. */
  #asked<T extends 'conversation.open' | 'conversation.list'>(
    requestId: string | undefined,
    type: T,
  ): Extract<ClientFrame, { type: T }> | undefined {
    const frame = this.#wiring.outbox.list.value.find((p) => p.requestId === requestId)?.frame
    return frame?.type === type ? (frame as Extract<ClientFrame, { type: T }>) : undefined
  }

  /** Called when events are missing: begins to watch the realm anew, from the page's current position. */
  #reattach(): void {
    const at = this.#wiring.store.position()
    this.#hello(at !== null && ++this.#rehellos <= MAX_REHELLOS ? at : this.#withoutPosition())
  }

  #error(f: ErrorFrame): void {
    if (this.#hellos > 0 && (f.requestId === this.#helloId || !f.requestId)) {
      this.#helloRefused(f)
      return
    }
    if (this.#registering && (f.requestId === this.#registerId || !f.requestId)) {
      this.#registering = false
      if (isHeld(f.code)) setTimeout(() => this.register(), HOLD_MS)
      else this.#refusal.value = f
      this.#flush()
      return
    }
    for (const [conversationId, repair] of this.#repairs) {
      if (repair.requestId === '' || repair.requestId !== f.requestId) continue
      this.#repairs.delete(conversationId)
      this.#reattach()
      return
    }
    const { outbox } = this.#wiring
    if (!f.requestId || !(outbox.failed(f.requestId, f) || outbox.failed(cancelId(f.requestId), f)))
      this.#wiring.store.take(f)
    else if (this.#wiring.outbox.holds) this.#hold()
  }

  /**
   * Handles the refusal of a hello. If the realm does not exist, sends one hello that names no realm; otherwise
   * reconnects later.
   */
  #helloRefused(f: ErrorFrame): void {
    if (f.code === 'not_found' && !this.#fellBack) {
      this.#fellBack = true
      this.#hellos = 0
      this.#hello({})
      return
    }
    this.connection.restart()
  }

  /** Removes the pending commands whose rows came with the snapshot; the others stay (S4-B8). */
  #settleShown(): void {
    const waiting = new Set(this.#wiring.outbox.list.value.map((p) => p.requestId))
    if (waiting.size === 0) return
    for (const view of Object.values(this.#wiring.store.current.realm?.views ?? {})) {
      for (const row of view.messages)
        if (row.requestId && waiting.has(row.requestId)) this.#wiring.outbox.settle(row.requestId)
    }
  }

  #hold(): void {
    this.#holding ??= setTimeout(() => {
      this.#holding = undefined
      this.#flush(true)
    }, HOLD_MS)
  }

  /**
   * Sends the pending commands. It waits for the attach, which settles the commands that the server has already
   * executed, and for the registration, because the server identifies a command by (spectator, requestId). Commands
   * that need a name wait until the person has one. again: also sends held commands.
   */
  #flush(again = false): void {
    // outbox.sent changes the list of commands, and each change of the list calls this function.
    if (!this.#ready || this.#registering || this.#flushing) return
    this.#flushing = true
    const tried = new Set<string>()
    const nameless = this.#wiring.who() === null
    try {
      for (;;) {
        const realmId = this.#wiring.store.position()?.realmId ?? null
        const p = this.#wiring.outbox
          .sendable(realmId)
          .find((x) => !tried.has(x.requestId) && (x.status !== 'held' || again) && !(nameless && needsName(x.frame)))
        if (!p || !this.#ready || !this.connection.open) return
        tried.add(p.requestId)
        // Marks the command as sent before it is sent, because the answer or the loss of the socket can follow at once.
        this.#wiring.outbox.sent(p.requestId)
        this.connection.send(encode(p.frame))
      }
    } finally {
      this.#flushing = false
    }
  }
}
