// A WebSocket whose other end is the test.
import type { Socket } from '../net/connection'
import type { ClientFrame } from '../net/protocol.gen'

export class FakeSocket implements Socket {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  onerror: (() => void) | null = null
  readyState: number = WebSocket.CONNECTING
  readonly sent: ClientFrame[] = []
  /** The code with which the page closed the socket; null while the socket is open. */
  closed: number | null = null
  /** Called with each frame that the page sends. */
  onsend: ((frame: ClientFrame) => void) | null = null

  send(text: string): void {
    const frame = JSON.parse(text) as ClientFrame
    this.sent.push(frame)
    this.onsend?.(frame)
  }

  close(code = 1000): void {
    this.closed = code
    this.readyState = WebSocket.CLOSING
  }

  /** Acts as a server that accepts the connection. */
  accept(): void {
    this.readyState = WebSocket.OPEN
    this.onopen?.()
  }

  /** Delivers one frame of the server, or an array of frames. */
  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }

  /** Begins to close the connection from the server's side. end completes it. */
  closing(): void {
    this.readyState = WebSocket.CLOSING
  }

  /** Closes the connection from the server's side. */
  end(code = 1006): void {
    this.readyState = WebSocket.CLOSED
    this.onclose?.({ code })
  }

  ofType<T extends ClientFrame['type']>(type: T): Extract<ClientFrame, { type: T }>[] {
    return this.sent.filter((f): f is Extract<ClientFrame, { type: T }> => f.type === type)
  }
}

/** Creates sockets and remembers them. */
export class FakeNet {
  readonly sockets: FakeSocket[] = []
  open = (): FakeSocket => {
    const socket = new FakeSocket()
    this.sockets.push(socket)
    return socket
  }
  get last(): FakeSocket {
    const socket = this.sockets.at(-1)
    if (!socket) throw new Error('nobody has connected')
    return socket
  }
}
