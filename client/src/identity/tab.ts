// Which tab this is. The id lives in sessionStorage, so a reload keeps it; but a
// duplicated tab begins with a copy of its original's sessionStorage, and two
// tabs with one id would throw each other off the server for ever. So a tab says
// that it is open while it is, and one that finds the mark asks around first.
import type { Shelf } from './storage'

/** How long a tab that may be a copy waits for its original to speak up, in milliseconds. */
export const ASK_MS = 150

/** What is used of a BroadcastChannel. */
export interface Channel {
  onmessage: ((event: { data: unknown }) => void) | null
  postMessage(data: unknown): void
}

interface Message {
  ask?: string
  mine?: string
  from: string
}

export class Tab {
  readonly #shelf: Shelf
  readonly #newId: () => string
  #id: string
  /** A copy of another open tab: what the copied sessionStorage holds is not its own. */
  readonly copied: boolean

  private constructor(kept: Shelf, newId: () => string, id: string, copied: boolean) {
    this.#shelf = kept
    this.#newId = newId
    this.#id = id
    this.copied = copied
    this.#keep()
  }

  /** Finds out which tab this is. channel: null where the browser has none. */
  static async claim(kept: Shelf, channel: Channel | null, newId: () => string): Promise<Tab> {
    const speaker = newId()
    const known = kept.get('tab')
    const copied =
      known !== null && kept.get('tabOpen') === '1' && channel !== null && (await isTaken(channel, known, speaker))
    const tab = new Tab(kept, newId, known === null || copied ? newId() : known, copied)
    if (channel !== null) {
      channel.onmessage = ({ data }) => {
        const m = data as Partial<Message> | null
        if (m?.ask === tab.id && m.from !== speaker)
          channel.postMessage({ mine: tab.id, from: speaker } satisfies Message)
      }
    }
    return tab
  }

  get id(): string {
    return this.#id
  }

  /** Takes a new id: the server said that this one is open elsewhere. */
  renew(): void {
    this.#id = this.#newId()
    this.#keep()
  }

  /** The tab goes away or is reloaded: its next life need not ask around. */
  close(): void {
    this.#shelf.remove('tabOpen')
  }

  /** The tab came back from the browser's back-forward cache. */
  reopen(): void {
    this.#keep()
  }

  #keep(): void {
    this.#shelf.set('tab', this.#id)
    this.#shelf.set('tabOpen', '1')
  }
}

function isTaken(channel: Channel, id: string, speaker: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ASK_MS)
    channel.onmessage = ({ data }) => {
      const m = data as Partial<Message> | null
      if (m?.mine !== id || m.from === speaker) return
      clearTimeout(timer)
      resolve(true)
    }
    channel.postMessage({ ask: id, from: speaker } satisfies Message)
  })
}
