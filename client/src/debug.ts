// window.__dungeon exposes the page's state, read only, to tests and to the browser's console. It leaves out the seat,
// which is a secret.
import type { App } from './app'

interface Debug {
  /** The screen that is shown: splash, setup, boot or game. */
  readonly phase: string
  /** The seq of the last durable event that was applied, 0 without a realm. */
  readonly seq: number
  readonly epoch: string | null
  /** Whether the socket is open and the server has answered its hello. */
  readonly connected: boolean
  /**
   * The connection's status, the number of opened sockets, the number of consecutive failures, and the time of the last
   * message.
   */
  readonly connection: unknown
  /** Commands that the server has not answered. */
  readonly pending: readonly { requestId: string; type: string; status: string }[]
  /** What the drawn map shows; null while the map is a list. */
  readonly map: unknown
  /** A copy of the whole model. */
  state(): unknown
}

declare global {
  interface Window {
    __dungeon?: Debug
  }
}

export function exposeDebug(app: App): void {
  const debug: Debug = {
    get phase() {
      return app.screen.value
    },
    get seq() {
      return app.model.realm?.world.tick ?? 0
    },
    get epoch() {
      return app.model.realm?.epoch ?? null
    },
    get connected() {
      return app.live.value
    },
    get connection() {
      return structuredClone(app.connectionSnapshot)
    },
    get pending() {
      return app.pending.value.map((p) => ({ requestId: p.requestId, type: p.frame.type, status: p.status }))
    },
    get map() {
      return structuredClone(app.drawnMap)
    },
    state() {
      const { me, ...rest } = app.model
      return structuredClone({ ...rest, me: me && { ...me, seat: undefined }, connection: app.connection.value })
    },
  }
  window.__dungeon = Object.freeze(debug)
}
