// Holds the model and publishes it: once for each batch of frames, not for each
// frame, so that a replay of 10,000 events draws once.
import { signal, type ReadonlySignal } from '@preact/signals'
import type { ServerFrame } from '../net/protocol.gen'
import { EMPTY, type Model } from './model'
import { reduce } from './reduce'

/** Where a reconnect goes on. */
export interface Position {
  realmId: string
  epoch: string
  seq: number
}

export class Store {
  readonly #published = signal<Model>(EMPTY)
  #current = EMPTY

  /** What the views draw. */
  get model(): ReadonlySignal<Model> {
    return this.#published
  }

  /** The model with every frame of the batch so far. */
  get current(): Model {
    return this.#current
  }

  position(): Position | null {
    const r = this.#current.realm
    return r ? { realmId: r.id, epoch: r.epoch, seq: r.world.tick } : null
  }

  take(frame: ServerFrame): void {
    this.#current = reduce(this.#current, frame)
  }

  /** Changes what no frame says: a notice that was read, a progress that is over. */
  change(how: (m: Model) => Model): void {
    this.#current = how(this.#current)
    this.publish()
  }

  publish(): void {
    this.#published.value = this.#current
  }
}
