// window.__dungeon: what the page knows, for tests and for a person with the
// browser's console. It only reads; the seat, a secret, is left out.
import type { App } from './app'

interface Debug {
  /** splash, setup, boot or game */
  readonly phase: string
  /** The last durable event that was applied, 0 without a realm. */
  readonly seq: number
  readonly epoch: string | null
  /** Open and welcomed. */
  readonly connected: boolean
  /** How the connection stands: sockets opened, failures in a row, when something was heard last. */
  readonly connection: unknown
  /** Commands that the server has not answered. */
  readonly pending: readonly { requestId: string; type: string; status: string }[]
  /** What the drawn map shows; null where it is not drawn. */
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
      return structuredClone(app.connectionNow)
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
