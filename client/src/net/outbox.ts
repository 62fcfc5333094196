// The commands that the server has not answered. A command stays in the outbox, and visible on the page, until the
// server answers it. After a disconnect the page sends it again with the same requestId, so that the server executes it
// once (P6.2). A refused command keeps the server's reason. No command disappears without notice (B16).
import { signal, type ReadonlySignal } from '@preact/signals'
import { byteLength, encode, MAX_FRAME, newRequestId } from './frames'
import { commandIn } from '../slash'
import type { ClientFrame, ErrorFrame } from './protocol.gen'

/** The commands that components give. The page itself (net/session) sends hello and spectator:register. */
export type CommandFrame = Exclude<ClientFrame, { type: 'hello' } | { type: 'spectator:register' }>

export interface Pending {
  requestId: string
  frame: CommandFrame
  /**
   * The realm that the page watched when the command was given; null if it watched none, or if the command depends on
   * no realm.
   */
  realmId: string | null
  /** When the command was given, in milliseconds of Date.now. */
  at: number
  /** The conversation in whose composer a slash command was typed, if that is not the current process. */
  typedIn?: string
  /**
   * waiting: the page sends the command as soon as it can. sent: the server has not answered yet. held: the server
   * cannot take the command now (error says why), and the page sends it again later. refused: the server refused the
   * command (error says why).
   */
  status: 'waiting' | 'sent' | 'held' | 'refused'
  error?: { code: ErrorFrame['code']; message: string }
}

export type SendResult = { ok: true; requestId: string } | { ok: false; why: 'too_large' | 'too_many' }

/** The maximum number of pending commands. The page refuses further commands. */
export const MAX_PENDING = 100

/** Whether the same command is worth sending again after this error. */
export function isHeld(code: ErrorFrame['code']): boolean {
  return code === 'unsaved' || code === 'rate_limited' || code === 'not_ready'
}

/** The storage in which commands survive a reload of the tab. */
export interface OutboxStorage {
  read(): string | null
  write(text: string): void
}

/**
 * Whether a command only reads. Such a command is not stored: after a reload, a component that needs the answer asks
 * again.
 */
export function isQuestion(f: CommandFrame): boolean {
  return (
    f.type === 'player:list-realms' ||
    f.type === 'map:room' ||
    f.type === 'conversation.open' ||
    f.type === 'conversation.list' ||
    f.type === 'team:list' ||
    f.type === 'skill:open' ||
    f.type === 'session:list'
  )
}

/** Whether the server answers by moving this socket to another realm. */
function isSwitch(f: CommandFrame): boolean {
  return f.type === 'player:link-repo' || f.type === 'player:resume-realm'
}

/** Whether a command is a text of a person, which the transcript shows while the command is pending. */
export function isSaying(p: Pending): boolean {
  return p.frame.type === 'chat.send' || p.frame.type === 'player:command' || p.frame.type === 'spectator:command'
}

/** The text that the person typed for a command; "" if the command has none. */
export function sayingOf(p: Pending): string {
  if (p.frame.type === 'chat.send') return p.frame.content
  return p.frame.type === 'player:command' || p.frame.type === 'spectator:command' ? p.frame.text : ''
}

/** The question of an /ask command, as the row of the chat will show it; any other text as it is. */
export function questionOf(text: string): string {
  return /^\/ask\s+\S+\s+(\S[^]*)$/.exec(text)?.[1] ?? text
}

/**
 * Whether the command is still pending after its first event: team:set ends with team:ready, and history:erase with its
 * receipt.
 */
export function isLong(f: CommandFrame): boolean {
  return f.type === 'team:set' || f.type === 'history:erase'
}

/** The commands that a person without a name can send, besides those of isQuestion and most slash commands. */
const NAMELESS: ReadonlySet<CommandFrame['type']> = new Set([
  'player:link-repo',
  'player:resume-realm',
  'player:remove-realm',
  'player:start-process',
  'player:update-settings',
  'player:dismiss-agent',
  'player:get-agent-details',
  'conversation.pause',
  'conversation.resume',
  'conversation.abort',
  'chat.cancel',
] satisfies CommandFrame['type'][])

/** Matches the slash commands that act for the person who gives them. */
const ABOUT_ME = /^\/(?:quest|focus|ask)\b/

/**
 * Whether a command needs a person with a name, as a message, an answer or taking a role does. The page asks a
 * person without a name for a name before it sends such a command.
 */
export function needsName(f: CommandFrame): boolean {
  if (f.type === 'player:command' && commandIn(f.text) !== '') return ABOUT_ME.test(f.text)
  return !isQuestion(f) && !NAMELESS.has(f.type)
}

/** The requestId of a pending chat.cancel on this page. On the wire a chat.cancel has the requestId of its run. */
export function cancelId(runId: string): string {
  return `cancel ${runId}`
}

/** Whether a command depends on the realm in which it was given. */
function needsRealm(f: CommandFrame): boolean {
  if (f.type === 'player:start-process') return !f.path
  return !isSwitch(f) && f.type !== 'player:list-realms' && f.type !== 'player:remove-realm'
}

export class Outbox {
  readonly #storage: OutboxStorage
  readonly #list = signal<readonly Pending[]>([])

  constructor(storage: OutboxStorage) {
    this.#storage = storage
    this.#list.value = read(storage)
  }

  get list(): ReadonlySignal<readonly Pending[]> {
    return this.#list
  }

  /**
   * Adds a command, or returns why the page refuses it. A frame without a requestId gets one. typedIn: the conversation
   * whose composer the command was typed in; "" for none.
   */
  add(frame: CommandFrame, realmId: string | null, typedIn = ''): SendResult {
    const once = isQuestion(frame) || frame.type === 'chat.cancel'
    const known = once ? this.#list.value.find((p) => p.status !== 'refused' && same(p.frame, frame)) : undefined
    if (known) return { ok: true, requestId: known.requestId }
    if (this.#list.value.length >= MAX_PENDING) return { ok: false, why: 'too_many' }
    const requestId = frame.type === 'chat.cancel' ? cancelId(frame.requestId) : frame.requestId || newRequestId()
    const named = frame.type === 'chat.cancel' ? frame : { ...frame, requestId }
    if (byteLength(encode(named)) > MAX_FRAME) return { ok: false, why: 'too_large' }
    this.#set([
      ...this.#list.value,
      {
        requestId,
        frame: named,
        realmId: needsRealm(frame) ? realmId : null,
        at: Date.now(),
        status: 'waiting',
        ...(typedIn ? { typedIn } : {}),
      },
    ])
    return { ok: true, requestId }
  }

  /** The commands that can be sent to a socket that watches realmId, oldest first. */
  sendable(realmId: string | null): readonly Pending[] {
    return this.#list.value.filter(
      (p) => (p.status === 'waiting' || p.status === 'held') && (p.realmId === null || p.realmId === realmId),
    )
  }

  sent(requestId: string): void {
    this.#mark(requestId, (p) => ({ ...p, status: 'sent', error: undefined }))
  }

  /** Removes a command because it was answered, or because the person took it back or closed its refusal. */
  settle(requestId: string): void {
    this.drop((p) => p.requestId === requestId)
  }

  /**
   * Removes the commands that a switch of the realm answers. Returns whether a command of this page led to the switch.
   * A start of a process leads to a switch too but stays, because the server still has to answer it.
   */
  settleSwitch(): boolean {
    const asked = this.#list.value.some(
      (p) => p.status === 'sent' && (isSwitch(p.frame) || p.frame.type === 'player:start-process'),
    )
    this.drop((p) => isSwitch(p.frame) && p.status === 'sent')
    return asked
  }

  /** Records the server's error for a command. Returns false if no command with this requestId is pending. */
  failed(requestId: string, error: { code: ErrorFrame['code']; message: string }): boolean {
    if (!this.#list.value.some((p) => p.requestId === requestId)) return false
    const status = isHeld(error.code) ? 'held' : 'refused'
    this.#mark(requestId, (p) => ({ ...p, status, error: { code: error.code, message: error.message } }))
    return true
  }

  /** Marks the sent and held commands as waiting after the loss of the socket. The next socket sends them again. */
  lost(): void {
    this.#set(
      this.#list.value.map((p) => (p.status === 'sent' || p.status === 'held' ? { ...p, status: 'waiting' } : p)),
    )
  }

  get holds(): boolean {
    return this.#list.value.some((p) => p.status === 'held')
  }

  /** Removes the commands for which gone is true. */
  drop(gone: (p: Pending) => boolean): void {
    if (this.#list.value.some(gone)) this.#set(this.#list.value.filter((p) => !gone(p)))
  }

  /** Removes all commands. A copied tab calls this, because the original tab still has the commands. */
  clear(): void {
    this.#set([])
  }

  #mark(requestId: string, change: (p: Pending) => Pending): void {
    if (!this.#list.value.some((p) => p.requestId === requestId)) return
    this.#set(this.#list.value.map((p) => (p.requestId === requestId ? change(p) : p)))
  }

  #set(list: readonly Pending[]): void {
    this.#list.value = list
    this.#storage.write(JSON.stringify(list.filter((p) => !isQuestion(p.frame))))
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

function read(storage: OutboxStorage): Pending[] {
  let value: unknown
  try {
    value = JSON.parse(storage.read() ?? '[]')
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
