// Commands on their way. A command stays here, visibly, from the moment a person
// gives it until the server has answered it: sent again under the same requestId
// after every cut, so that it happens once (P6.2), or refused with the
// server's reason. Nothing leaves silently (B16).
import { signal, type ReadonlySignal } from '@preact/signals'
import { byteLength, encode, MAX_FRAME, newRequestId } from './frames'
import type { ClientFrame, ErrorFrame } from './protocol.gen'

/** What a view may send; hello and spectator:register are the session's own. */
export type CommandFrame = Exclude<ClientFrame, { type: 'hello' } | { type: 'spectator:register' }>

export interface Pending {
  requestId: string
  frame: CommandFrame
  /** The realm it is meant for; null where it does not matter or there was none. */
  realmId: string | null
  /** When it was given, milliseconds of Date.now. */
  at: number
  /**
   * waiting for a connection · sent, no answer yet · held: the server cannot take
   * it now (code), it is sent again · refused: the server said no (error)
   */
  status: 'waiting' | 'sent' | 'held' | 'refused'
  error?: { code: ErrorFrame['code']; message: string }
}

export type SendResult = { ok: true; requestId: string } | { ok: false; why: 'too_large' | 'too_many' }

/** How many commands wait at most; one more is refused where it is given. */
export const MAX_PENDING = 100

/** Codes after which the same command is worth sending again. */
export function isHeld(code: ErrorFrame['code']): boolean {
  return code === 'unsaved' || code === 'rate_limited' || code === 'not_ready'
}

/** What survives a reload of the tab. */
export interface Shelf {
  read(): string | null
  write(text: string): void
}

/** Questions change nothing: they are asked again by who needs the answer. */
export function isQuestion(f: CommandFrame): boolean {
  return (
    f.type === 'player:list-realms' ||
    f.type === 'map:room' ||
    f.type === 'conversation.open' ||
    f.type === 'conversation.list' ||
    f.type === 'team:list' ||
    f.type === 'skill:open'
  )
}

/** Commands that are answered by moving this socket to a realm. */
function isSwitch(f: CommandFrame): boolean {
  return f.type === 'player:link-repo' || f.type === 'player:resume-realm'
}

/** Commands that are words of a person: they stand in the transcript while they wait. */
export function isSaying(p: Pending): boolean {
  return p.frame.type === 'chat.send' || p.frame.type === 'player:command' || p.frame.type === 'spectator:command'
}

/** The words of such a command. */
export function sayingOf(p: Pending): string {
  if (p.frame.type === 'chat.send') return p.frame.content
  return p.frame.type === 'player:command' || p.frame.type === 'spectator:command' ? p.frame.text : ''
}

/**
 * Commands whose work is not over with their first event: a team is there with
 * team:ready, and an erasure is done when its receipt says so.
 */
export function isLong(f: CommandFrame): boolean {
  return f.type === 'team:set' || f.type === 'history:erase'
}

/** Under what a chat.cancel waits: on the wire its requestId is that of the run. */
export function cancelId(runId: string): string {
  return `cancel ${runId}`
}

/** Whether a command would mean something else in another realm. */
function needsRealm(f: CommandFrame): boolean {
  if (f.type === 'player:start-process') return !f.path
  return !isSwitch(f) && f.type !== 'player:list-realms' && f.type !== 'player:remove-realm'
}

export class Outbox {
  readonly #shelf: Shelf
  readonly #list = signal<readonly Pending[]>([])

  constructor(shelf: Shelf) {
    this.#shelf = shelf
    this.#list.value = read(shelf)
  }

  get list(): ReadonlySignal<readonly Pending[]> {
    return this.#list
  }

  /** Takes a command, or says why not; the frame gets a requestId where it has none. */
  add(frame: CommandFrame, realmId: string | null): SendResult {
    const once = isQuestion(frame) || frame.type === 'chat.cancel'
    const known = once ? this.#list.value.find((p) => p.status !== 'refused' && same(p.frame, frame)) : undefined
    if (known) return { ok: true, requestId: known.requestId }
    if (this.#list.value.length >= MAX_PENDING) return { ok: false, why: 'too_many' }
    const requestId = frame.type === 'chat.cancel' ? cancelId(frame.requestId) : frame.requestId || newRequestId()
    const named = frame.type === 'chat.cancel' ? frame : { ...frame, requestId }
    if (byteLength(encode(named)) > MAX_FRAME) return { ok: false, why: 'too_large' }
    this.#set([
      ...this.#list.value,
      { requestId, frame: named, realmId: needsRealm(frame) ? realmId : null, at: Date.now(), status: 'waiting' },
    ])
    return { ok: true, requestId }
  }

  /** What can go out now, oldest first, to a socket that watches realmId. */
  sendable(realmId: string | null): readonly Pending[] {
    return this.#list.value.filter(
      (p) => (p.status === 'waiting' || p.status === 'held') && (p.realmId === null || p.realmId === realmId),
    )
  }

  sent(requestId: string): void {
    this.#mark(requestId, (p) => ({ ...p, status: 'sent', error: undefined }))
  }

  /** The server has answered, or the event is here. */
  settle(requestId: string): void {
    this.#drop((p) => p.requestId === requestId)
  }

  /**
   * The server has moved this socket: who asked for it has what they wanted. True
   * where a command of this page led to it; a start is still to be answered.
   */
  settleSwitch(): boolean {
    const asked = this.#list.value.some(
      (p) => p.status === 'sent' && (isSwitch(p.frame) || p.frame.type === 'player:start-process'),
    )
    this.#drop((p) => isSwitch(p.frame) && p.status === 'sent')
    return asked
  }

  /** An error for a command; false where no such command is on its way. */
  failed(requestId: string, error: { code: ErrorFrame['code']; message: string }): boolean {
    if (!this.#list.value.some((p) => p.requestId === requestId)) return false
    const status = isHeld(error.code) ? 'held' : 'refused'
    this.#mark(requestId, (p) => ({ ...p, status, error: { code: error.code, message: error.message } }))
    return true
  }

  /** The socket is gone: what it carried goes again with the next one. */
  lost(): void {
    this.#set(
      this.#list.value.map((p) => (p.status === 'sent' || p.status === 'held' ? { ...p, status: 'waiting' } : p)),
    )
  }

  get holds(): boolean {
    return this.#list.value.some((p) => p.status === 'held')
  }

  /** A person takes a command back, or has read why it was refused. */
  discard(requestId: string): void {
    this.settle(requestId)
  }

  /** Takes out what is about something that is no longer kept. */
  drop(about: (p: Pending) => boolean): void {
    this.#drop(about)
  }

  /** Forgets everything: this tab is a copy of one that still has these commands. */
  clear(): void {
    this.#set([])
  }

  #mark(requestId: string, change: (p: Pending) => Pending): void {
    if (!this.#list.value.some((p) => p.requestId === requestId)) return
    this.#set(this.#list.value.map((p) => (p.requestId === requestId ? change(p) : p)))
  }

  #drop(gone: (p: Pending) => boolean): void {
    if (this.#list.value.some(gone)) this.#set(this.#list.value.filter((p) => !gone(p)))
  }

  #set(list: readonly Pending[]): void {
    this.#list.value = list
    this.#shelf.write(JSON.stringify(list.filter((p) => !isQuestion(p.frame))))
  }
}

function same(a: CommandFrame, b: CommandFrame): boolean {
  if (a.type === 'map:room' && b.type === 'map:room') return a.path === b.path && (a.page ?? 0) === (b.page ?? 0)
  if (a.type === 'conversation.open' && b.type === 'conversation.open')
    return (
      a.conversationId === b.conversationId && a.before === b.before && a.limit === b.limit && a.stageId === b.stageId
    )
  if (a.type === 'chat.cancel' && b.type === 'chat.cancel') return a.requestId === b.requestId
  if (a.type === 'conversation.list' && b.type === 'conversation.list')
    return a.before === b.before && a.beforeId === b.beforeId && a.kind === b.kind
  if (a.type === 'skill:open' && b.type === 'skill:open') return a.name === b.name
  return a.type === b.type
}

function read(shelf: Shelf): Pending[] {
  let value: unknown
  try {
    value = JSON.parse(shelf.read() ?? '[]')
  } catch {
    return []
  }
  if (!Array.isArray(value)) return []
  return value
    .filter(isPending)
    .slice(0, MAX_PENDING)
    .map((p) => (p.status === 'refused' ? p : { ...p, status: 'waiting' }))
}

function isPending(v: unknown): v is Pending {
  if (typeof v !== 'object' || v === null) return false
  const p = v as Partial<Pending>
  return (
    typeof p.requestId === 'string' &&
    typeof p.frame === 'object' &&
    p.frame !== null &&
    typeof p.frame.type === 'string' &&
    typeof p.status === 'string'
  )
}
