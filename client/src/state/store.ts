// Holds the model and publishes it to the components. It publishes once for each batch of frames, so that a replay of
// 10,000 events renders once, and waits a minimum time between two renders.
import type { ServerFrame } from '../net/protocol.gen'
import { EMPTY, type Model } from './model'
import { reduce } from './reduce'
import { Shown } from './shown'
import type { Asked } from './snapshots'

/** The position from which a reconnect continues. */
export interface Position {
  realmId: string
  epoch: string
  seq: number
  /** The number of the map that the page shows. The server numbers the maps of each epoch anew. */
  mapGeneration: number
}

export class Store {
  readonly #shown = new Shown()
  readonly #every: number
  #current = EMPTY
  #last = -Infinity
  #due: ReturnType<typeof setTimeout> | undefined

  /** every: the minimum time between two renders, in milliseconds; 0 for none. */
  constructor(every = 0) {
    this.#every = every
  }

  /** The published model. A component or effect that reads it depends only on the fields that it reads. */
  get model(): Model {
    return this.#shown.model
  }

  /** The model with all frames so far, published or not. */
  get current(): Model {
    return this.#current
  }

  position(): Position | null {
    const r = this.#current.realm
    return r ? { realmId: r.id, epoch: r.epoch, seq: r.world.tick, mapGeneration: r.mapGeneration } : null
  }

  /**
   * Applies a frame of the server to the model. request: the request that the frame answers, if the reducer needs
   * it.
   */
  take(frame: ServerFrame, request?: Asked): void {
    this.#current = reduce(this.#current, frame, request)
  }

  /** Changes something that no frame changes, such as a notice that was read. */
  change(how: (m: Model) => Model): void {
    this.#current = how(this.#current)
    this.publish()
  }

  /** Publishes the model now or, if the last render was less than the minimum time ago, when that time is over. */
  publish(): void {
    if (this.#due !== undefined) return
    const wait = this.#every - (performance.now() - this.#last)
    if (wait > 0) this.#due = setTimeout(() => this.#show(), wait)
    else this.#show()
  }

  #show(): void {
    this.#due = undefined
    if (this.#every > 0) this.#last = performance.now()
    this.#shown.show(this.#current)
  }
}
