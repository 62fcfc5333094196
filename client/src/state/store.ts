// Holds the model and shows it: once for each batch of frames, not for each frame, so that a replay of 10,000 events
// draws once; and no more often than eyes can follow.
import type { ServerFrame } from '../net/protocol.gen'
import { EMPTY, type Model } from './model'
import { reduce } from './reduce'
import { Shown } from './shown'
import type { Asked } from './snapshots'

/** Where a reconnect goes on. */
export interface Position {
  realmId: string
  epoch: string
  seq: number
}

export class Store {
  readonly #shown = new Shown()
  readonly #every: number
  #current = EMPTY
  #last = -Infinity
  #due: ReturnType<typeof setTimeout> | undefined

  /** every: the least time between two drawings in milliseconds, 0 for none. */
  constructor(every = 0) {
    this.#every = every
  }

  /** What the views draw: each of its fields is a slice of its own, which is tracked where it is read. */
  get model(): Model {
    return this.#shown.model
  }

  /** The model with every frame of the batch so far. */
  get current(): Model {
    return this.#current
  }

  position(): Position | null {
    const r = this.#current.realm
    return r ? { realmId: r.id, epoch: r.epoch, seq: r.world.tick } : null
  }

  /** asked: what a snapshot or a list answers. */
  take(frame: ServerFrame, asked?: Asked): void {
    this.#current = reduce(this.#current, frame, asked)
  }

  /** Changes what no frame says: a notice that was read, a progress that is over. */
  change(how: (m: Model) => Model): void {
    this.#current = how(this.#current)
    this.publish()
  }

  /** Shows the model now, or with the next drawing when the last was a moment ago. */
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
