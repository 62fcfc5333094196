// Stores across reloads who the person at this browser is, and which realm the person was in (S3-08, S3-19). A missing
// or damaged entry reads as null.
import type { SafeStorage } from './storage'

export interface Identity {
  name: string
  /** #rrggbb */
  color: string
}

export type Phase = 'onboarding' | 'playing'

/** The maximum length of a name in characters, as in the wire contract. */
export const MAX_NAME = 40

/** The colours of people: eight colours, none more conspicuous than the others, and none that marks a severity. */
export const HUES = ['#e58fb1', '#d99a5b', '#b8b04f', '#74b866', '#4fb8a3', '#5aa9dd', '#8f98ea', '#bd87dd'] as const

const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Whether the server accepts this text as a name. */
export function isName(name: string): boolean {
  const length = [...name].length
  return length >= 1 && length <= MAX_NAME && name.trim() !== '' && !CONTROL.test(name)
}

export function isColor(color: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(color)
}

export class IdentityKeeper {
  readonly #storage: SafeStorage

  constructor(storage: SafeStorage) {
    this.#storage = storage
  }

  identity(): Identity | null {
    let value: unknown
    try {
      value = JSON.parse(this.#storage.get('identity') ?? 'null')
    } catch {
      return null
    }
    if (typeof value !== 'object' || value === null) return null
    const { name, color } = value as Partial<Identity>
    return typeof name === 'string' && isName(name) && typeof color === 'string' && isColor(color)
      ? { name, color }
      : null
  }

  setIdentity(identity: Identity): void {
    this.#storage.set('identity', JSON.stringify({ name: identity.name, color: identity.color }))
    this.#storage.remove('nameless')
  }

  /** Whether the person entered a realm without a name. A reload returns such a person to the realm, too. */
  isNameless(): boolean {
    return this.#storage.get('nameless') === '1'
  }

  realmId(): string | null {
    return this.#storage.get('realmId') || null
  }

  phase(): Phase {
    return this.#storage.get('gamePhase') === 'playing' ? 'playing' : 'onboarding'
  }

  /** Records that the game screen shows this realm. A reload returns to it. */
  entered(realmId: string): void {
    this.#storage.set('realmId', realmId)
    this.#storage.set('gamePhase', 'playing')
    if (this.#storage.get('identity') === null) this.#storage.set('nameless', '1')
  }

  /** Records that the person has left the game screen. The id of the realm stays stored. */
  left(): void {
    this.#storage.set('gamePhase', 'onboarding')
  }

  /** The person's seat, the secret by which the server recognizes the person; null before the first welcome. */
  seat(): string | null {
    return this.#storage.get('seat')
  }

  /** Deletes the name and the seat after an erasure. The server then registers the next person as a new one. */
  forget(): void {
    this.#storage.remove('seat')
    this.#storage.remove('identity')
    this.#storage.remove('nameless')
  }

  setSeat(seat: string): void {
    this.#storage.set('seat', seat)
  }
}
