// What somebody has typed and not sent, so that no reload loses a word.
import type { Shelf } from './storage'

/** The name of a draft: a field of the setup, the prompt of a realm, or words for a conversation. */
export type DraftKey = 'name' | 'problem' | 'path' | `prompt.${string}` | `talk.${string}`

export class Drafts {
  readonly #shelf: Shelf

  constructor(kept: Shelf) {
    this.#shelf = kept
  }

  get(key: DraftKey): string {
    return this.#shelf.get('draft.' + key) ?? ''
  }

  /** Somebody whose words and identity were erased leaves nothing typed behind. */
  clear(): void {
    for (const key of this.#shelf.keys('draft.')) this.#shelf.remove(key)
  }

  set(key: DraftKey, text: string): void {
    if (text === '') this.#shelf.remove('draft.' + key)
    else this.#shelf.set('draft.' + key, text)
  }

  /** Words for a conversation that was erased are not kept either. */
  forget(conversationId: string): void {
    this.set(`talk.${conversationId}`, '')
  }
}
