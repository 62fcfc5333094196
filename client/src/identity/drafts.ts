// Text that a person has typed and not sent. It survives a reload.
import type { SafeStorage } from './storage'

/**
 * The text box of a draft: a field of the setup, the page's own text box, the composer of a conversation, a field of
 * the dialog that starts one, or the box for messages to a coding agent ('tell' and the agent's id). 'template' is the
 * template for which the problem was typed; 'answer' is followed by the conversation and the role of a turn, which the
 * page's own text box answers.
 */
export type DraftKey =
  | 'name'
  | 'problem'
  | 'template'
  | 'path'
  | `prompt.${string}`
  | `answer.${string}`
  | `talk.${string}`
  | `tell.${string}`

export class Drafts {
  readonly #storage: SafeStorage

  constructor(storage: SafeStorage) {
    this.#storage = storage
  }

  get(key: DraftKey): string {
    return this.#storage.get('draft.' + key) ?? ''
  }

  /** Deletes all drafts, after the person at this page was erased. */
  clear(): void {
    for (const key of this.#storage.keys('draft.')) this.#storage.remove(key)
  }

  set(key: DraftKey, text: string): void {
    if (text === '') this.#storage.remove('draft.' + key)
    else this.#storage.set('draft.' + key, text)
  }

  /** Deletes the draft for an erased conversation. */
  forget(conversationId: string): void {
    this.set(`talk.${conversationId}`, '')
    for (const key of this.#storage.keys(`draft.answer.${conversationId}.`)) this.#storage.remove(key)
  }
}
