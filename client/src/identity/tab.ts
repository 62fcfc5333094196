// The id of this tab. It is in sessionStorage, so that a reload keeps it. A duplicated tab begins with a copy of
// the original's sessionStorage, and two tabs with one id would close each other's connection again and again. So
// an open tab stores a mark, and a new tab that finds the mark first asks all other tabs whether one of them has
// the same id.
import type { SafeStorage } from './storage'

/** How long a tab waits for another tab to answer that it has the same id, in milliseconds. */
export const ASK_MS = 150

/** The part of BroadcastChannel that Tab uses. */
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
  readonly #storage: SafeStorage
  readonly #newId: () => string
  #id: string
  /** Whether this tab is a copy of another open tab. Then all of its sessionStorage is a copy of the original's. */
  readonly copied: boolean

  private constructor(storage: SafeStorage, newId: () => string, id: string, copied: boolean) {
    this.#storage = storage
    this.#newId = newId
    this.#id = id
    this.copied = copied
    this.#keep()
  }

  /** Determines this tab's id. channel: null if the browser has no BroadcastChannel. */
  static async claim(storage: SafeStorage, channel: Channel | null, newId: () => string): Promise<Tab> {
    const speaker = newId()
    const known = storage.get('tab')
    const copied =
      known !== null && storage.get('tabOpen') === '1' && channel !== null && (await isTaken(channel, known, speaker))
    const tab = new Tab(storage, newId, known === null || copied ? newId() : known, copied)
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

  /** Takes a new id for this tab, after the server reported that the old id is connected elsewhere. */
  renew(): void {
    this.#id = this.#newId()
    this.#keep()
  }

  /** Removes the mark of an open tab when the tab closes or reloads, so that the reloaded tab asks no other tabs. */
  close(): void {
    this.#storage.remove('tabOpen')
  }

  /** Sets the mark of an open tab again, after the tab returned from the back-forward cache. */
  reopen(): void {
    this.#keep()
  }

  #keep(): void {
    this.#storage.set('tab', this.#id)
    this.#storage.set('tabOpen', '1')
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
