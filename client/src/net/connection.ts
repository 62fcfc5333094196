// One WebSocket that comes back by itself: back-off, time limits, the browser's
// hints that the network is there again, and the close codes that mean "do not
// come back". It knows nothing of what travels over it (net/session does).
import { signal, type ReadonlySignal } from '@preact/signals'
import { backoff } from './backoff'

export type Status =
  | { state: 'idle' }
  | { state: 'connecting' }
  /** Open; welcomed tells whether the server has answered hello. */
  | { state: 'open'; welcomed: boolean }
  /** Lost or refused; the next try is at `until` (milliseconds of Date.now). */
  | { state: 'waiting'; until: number; failures: number }
  /** Over: the server asked not to come back (4500-4999), with its code. */
  | { state: 'stopped'; code: number }

/** What the server has to do in time, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 12_000
export const WELCOME_TIMEOUT_MS = 20_000
/** A socket that has been opening for so long is given up as soon as there is a hint that another would open. */
export const STUCK_MS = 10_000
/** An open socket that was out of sight for so long is asked for a sign of life. */
export const STALE_MS = 30_000
export const PROBE_TIMEOUT_MS = 5_000

/** This tab is open elsewhere. */
export const CLOSE_ELSEWHERE = 4501
/** What the page says when it gives up a socket itself; it means come back. */
const CLOSE_STUCK = 4000

/** Whether the server asks not to come back. */
export function isFinal(code: number): boolean {
  return code >= 4500 && code <= 4999
}

/** The part of a WebSocket that is used. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  onerror: (() => void) | null
  send(text: string): void
  close(code?: number): void
}

export interface Wiring {
  open: () => Socket
  random: () => number
  onOpen: () => void
  onMessage: (data: unknown) => void
  onLost: () => void
  /** Sends something that the server answers. */
  probe: () => void
}

export class Connection {
  readonly #wiring: Wiring
  readonly #status = signal<Status>({ state: 'idle' })
  #socket: Socket | null = null
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #probing: ReturnType<typeof setTimeout> | undefined
  #heardAt = 0
  #openingSince = 0
  #sockets = 0

  constructor(wiring: Wiring) {
    this.#wiring = wiring
  }

  get status(): ReadonlySignal<Status> {
    return this.#status
  }

  start(): void {
    if (this.#status.value.state === 'idle') this.#connect()
  }

  /** Tries at once where it waits for the next try, or was told to stop. */
  retryNow(): void {
    const { state } = this.#status.value
    if (state === 'waiting' || state === 'stopped') this.#connect()
  }

  /** The network is back, or somebody looks at the page again. */
  wake(): void {
    const { state } = this.#status.value
    if (state === 'waiting' || (state === 'connecting' && Date.now() - this.#openingSince >= STUCK_MS)) this.#connect()
    if (state !== 'open' || this.#probing !== undefined || Date.now() - this.#heardAt < STALE_MS) return
    this.#probing = setTimeout(() => this.#giveUp(), PROBE_TIMEOUT_MS)
    this.#wiring.probe()
  }

  /** The server has answered hello: the next loss begins with a short wait again. */
  welcomed(): void {
    if (this.#status.value.state !== 'open') return
    this.#failures = 0
    clearTimeout(this.#timer)
    this.#status.value = { state: 'open', welcomed: true }
  }

  /** hello has been sent, perhaps once more: its welcome is due. */
  attaching(): void {
    if (this.#status.value.state !== 'open') return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#giveUp(), WELCOME_TIMEOUT_MS)
    this.#status.value = { state: 'open', welcomed: false }
  }

  /** How it stands, for a person who looks for what is wrong. Times are milliseconds of Date.now, 0 for never. */
  get snapshot(): { status: Status; sockets: number; failures: number; heardAt: number; openingSince: number } {
    return {
      status: this.#status.value,
      sockets: this.#sockets,
      failures: this.#failures,
      heardAt: this.#heardAt,
      openingSince: this.#openingSince,
    }
  }

  get open(): boolean {
    return this.#socket !== null && this.#status.value.state === 'open'
  }

  /** False where there is no open socket: nothing was sent. */
  send(text: string): boolean {
    if (!this.open) return false
    this.#socket?.send(text)
    return true
  }

  /** Closes and comes back after the usual wait: what arrived made no sense. */
  restart(): void {
    this.#giveUp()
  }

  /** Closes for good. */
  stop(code: number): void {
    this.#drop()
    this.#status.value = { state: 'stopped', code }
    this.#wiring.onLost()
  }

  #connect(): void {
    this.#drop()
    this.#status.value = { state: 'connecting' }
    this.#openingSince = Date.now()
    this.#sockets++
    let socket: Socket
    try {
      socket = this.#wiring.open()
    } catch {
      this.#wait()
      return
    }
    this.#socket = socket
    this.#timer = setTimeout(() => this.#giveUp(), CONNECT_TIMEOUT_MS)
    // Events of a socket that was given up may still be on their way.
    socket.onopen = () => {
      if (this.#socket !== socket) return
      clearTimeout(this.#timer)
      this.#heardAt = Date.now()
      this.#timer = setTimeout(() => this.#giveUp(), WELCOME_TIMEOUT_MS)
      this.#status.value = { state: 'open', welcomed: false }
      this.#wiring.onOpen()
    }
    socket.onmessage = (event) => {
      if (this.#socket !== socket) return
      this.#heardAt = Date.now()
      clearTimeout(this.#probing)
      this.#probing = undefined
      this.#wiring.onMessage(event.data)
    }
    socket.onclose = (event) => {
      if (this.#socket !== socket) return
      if (isFinal(event.code)) {
        this.stop(event.code)
        return
      }
      this.#drop()
      this.#wait()
    }
  }

  #giveUp(): void {
    if (this.#socket === null) return
    this.#drop()
    this.#wait()
  }

  #wait(): void {
    const ms = backoff(this.#failures++, this.#wiring.random)
    this.#status.value = { state: 'waiting', until: Date.now() + ms, failures: this.#failures }
    this.#timer = setTimeout(() => this.#connect(), ms)
    this.#wiring.onLost()
  }

  /** Forgets the socket: whatever it still says is not heard. */
  #drop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#probing)
    this.#probing = undefined
    const socket = this.#socket
    this.#socket = null
    if (socket === null) return
    socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null
    try {
      socket.close(CLOSE_STUCK)
    } catch {
      // A socket that cannot be closed any more is closed.
    }
  }
}
