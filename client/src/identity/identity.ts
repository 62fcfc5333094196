// Who sits here and where they were, across reloads (S3-08, S3-19). Whatever is
// missing or damaged reads as "nobody yet".
import type { Shelf } from './storage'

export interface Identity {
  name: string
  /** #rrggbb */
  color: string
}

export type Phase = 'onboarding' | 'playing'

/** Characters of a name on the wire. */
export const MAX_NAME = 40

/** Eight hues of equal weight for people; none is a severity's. */
export const HUES = ['#e58fb1', '#d99a5b', '#b8b04f', '#74b866', '#4fb8a3', '#5aa9dd', '#8f98ea', '#bd87dd'] as const

const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Whether the server takes it as a name. */
export function isName(name: string): boolean {
  const length = [...name].length
  return length >= 1 && length <= MAX_NAME && name.trim() !== '' && !CONTROL.test(name)
}

export function isColor(color: string): boolean {
  return /^#[0-9a-fA-F]{6}$/.test(color)
}

export class IdentityKeeper {
  readonly #shelf: Shelf

  constructor(kept: Shelf) {
    this.#shelf = kept
  }

  identity(): Identity | null {
    let value: unknown
    try {
      value = JSON.parse(this.#shelf.get('identity') ?? 'null')
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
    this.#shelf.set('identity', JSON.stringify({ name: identity.name, color: identity.color }))
  }

  realmId(): string | null {
    return this.#shelf.get('realmId') || null
  }

  phase(): Phase {
    return this.#shelf.get('gamePhase') === 'playing' ? 'playing' : 'onboarding'
  }

  /** The person is in this realm's game now; a reload comes back here. */
  entered(realmId: string): void {
    this.#shelf.set('realmId', realmId)
    this.#shelf.set('gamePhase', 'playing')
  }

  /** The person has left the game; the realm they were in is remembered. */
  left(): void {
    this.#shelf.set('gamePhase', 'onboarding')
  }

  /** The secret that takes the same place back; null before the first welcome. */
  seat(): string | null {
    return this.#shelf.get('seat')
  }

  /** Who sat here was erased: the next one is somebody else. */
  forget(): void {
    this.#shelf.remove('seat')
    this.#shelf.remove('identity')
  }

  setSeat(seat: string): void {
    this.#shelf.set('seat', seat)
  }
}
