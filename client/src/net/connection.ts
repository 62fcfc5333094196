// A WebSocket that reconnects by itself, with back-off and time limits. It reconnects early when the browser reports
// that the network is back, and not at all after a close code that forbids it. It does not know the protocol, which is
// in net/session.
import { signal, type ReadonlySignal } from '@preact/signals'
import { backoff } from './backoff'

export type Status =
  | { state: 'idle' }
  | { state: 'connecting' }
  /** welcomed: whether the server has answered hello. */
  | { state: 'open'; welcomed: boolean }
  /** The connection was lost or refused. The next try is at `until` (milliseconds of Date.now). */
  | { state: 'waiting'; until: number; failures: number }
  /** The server closed the socket with this code (4500-4999), which forbids to reconnect. */
  | { state: 'stopped'; code: number }

/** How long the page waits for the socket to open, and for the welcome after hello, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 12_000
export const WELCOME_TIMEOUT_MS = 20_000
/** The time in milliseconds after which wake replaces a socket that is still opening. */
export const STUCK_MS = 10_000
/** After this time without a message, in milliseconds, the page asks the server for an answer (a probe). */
export const STALE_MS = 30_000
export const PROBE_TIMEOUT_MS = 5_000

/** The code with which the server closes a socket when another socket connects with the same seat and tab id. */
export const CLOSE_ELSEWHERE = 4501
/** The server refused the page, because the token of its link is missing or wrong. */
export const CLOSE_NOT_ALLOWED = 4503
/** The code with which the page closes a socket that it no longer uses. */
const CLOSE_STUCK = 4000

/** Whether the code forbids to reconnect. */
export function isFinal(code: number): boolean {
  return code >= 4500 && code <= 4999
}

/** The part of WebSocket that Connection uses. */
export interface Socket {
  readonly readyState: number
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
  /** Sends a command that the server answers. */
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

  /** Connects at once instead of waiting for the next try, also after a final close. */
  retryNow(): void {
    const { state } = this.#status.value
    if (state === 'waiting' || state === 'stopped') this.#connect()
  }

  /**
   * Acts on the report that the network is back or the page became visible. It connects at once instead of waiting for
   * the next try, replaces a socket that has been opening for STUCK_MS, and probes an open one that has been silent.
   */
  wake(): void {
    const { state } = this.#status.value
    if (state === 'waiting' || (state === 'connecting' && Date.now() - this.#openingSince >= STUCK_MS)) this.#connect()
    this.probe()
  }

  /**
   * Asks the server for an answer if an open socket has been silent for STALE_MS, and replaces the socket if none
   * comes. Without this, the page would wait forever for a frozen server or on a lost network: neither closes the
   * socket.
   */
  probe(): void {
    const silent = this.#status.value.state === 'open' && Date.now() - this.#heardAt >= STALE_MS
    if (!silent || this.#probing !== undefined) return
    this.#probing = setTimeout(() => this.#giveUp(), PROBE_TIMEOUT_MS)
    this.#wiring.probe()
  }

  /**
   * Called when the server has answered hello. Sets the count of failures to 0, so that the next reconnect comes soon.
   */
  welcomed(): void {
    if (this.#status.value.state !== 'open') return
    this.#failures = 0
    clearTimeout(this.#timer)
    this.#status.value = { state: 'open', welcomed: true }
  }

  /** Called when the page has sent hello. Starts the time limit for the welcome. */
  attaching(): void {
    if (this.#status.value.state !== 'open') return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#giveUp(), WELCOME_TIMEOUT_MS)
    this.#status.value = { state: 'open', welcomed: false }
  }

  /** When the last message came, in milliseconds of Date.now; 0 for never. */
  get heardAt(): number {
    return this.#heardAt
  }

  /** The connection's status and counters, for debugging. Times are milliseconds of Date.now, 0 for never. */
  get snapshot(): { status: Status; sockets: number; failures: number; heardAt: number; openingSince: number } {
    return {
      status: this.#status.value,
      sockets: this.#sockets,
      failures: this.#failures,
      heardAt: this.#heardAt,
      openingSince: this.#openingSince,
    }
  }

  /** Whether texts can be sent. A socket that the server has begun to close sends none, even before its onclose. */
  get open(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN && this.#status.value.state === 'open'
  }

  /** Sends a text. Returns false and sends nothing if no socket is open. */
  send(text: string): boolean {
    if (!this.open) return false
    this.#socket?.send(text)
    return true
  }

  /** Closes the socket, and reconnects after the usual delay. */
  restart(): void {
    this.#giveUp()
  }

  /** Closes without reconnecting. */
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
    // The events of an abandoned socket can still arrive.
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

  /** Abandons the socket and ignores its further events. */
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
      // The socket is closed already.
    }
  }
}
