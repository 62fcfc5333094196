// Which conversation the reader looks at, what they have seen of the others, and
// what they ask for: to open, to list, to begin, to speak. It reads the model and
// sends commands; what it remembers it remembers in this browser.
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import type { Shelf } from './identity/storage'
import { newRequestId } from './net/frames'
import type { CommandFrame, Pending, SendResult } from './net/outbox'
import type { ConversationStart, SessionRestored } from './net/protocol.gen'
import { talks } from './kinds/list'
import { isErased } from './state/erased'
import type { Model, RealmModel } from './state/model'
import { putAway } from './state/session'
import { reachIn } from './state/snapshots'
import { headOf, isLater, seenSeq } from './state/talks'

/** What a dialog that begins a conversation has in it already. */
export interface StartAsk {
  /** What is begun: the id of a Beginning; "" for what is begun most. */
  kind: string
  memberIds: readonly string[]
}

/** What is about to be erased: a conversation, or what the person at this page said. */
export type Erasing = { what: 'conversation'; id: string; title: string; note: string } | { what: 'me'; id: string }

/** How much came back with a session, and of whom, by the speakers' ids. */
export interface CameBack {
  messages: number
  by: Readonly<Record<string, number>>
}

/** What of a transcript is read: all of it, a stage, or around a row that was found. */
export interface Look {
  conversationId: string
  stageId: string
  /** The row to lead to; "" where none is. */
  messageId: string
}

export interface TalksWiring {
  /** In slices: an effect depends on the fields that it reads. */
  model: Model
  pending: ReadonlySignal<readonly Pending[]>
  shelf: Shelf
  send: (frame: CommandFrame) => SendResult
  discard: (requestId: string) => void
  change: (how: (m: Model) => Model) => void
}

/** Where people speak in passing while no process is on; no conversation has such an id. */
export const HALL = 'hall'

/** Rows that are asked for at once, and conversations. */
export const PAGE = 50
const LISTED = 50
/** Rows around one that was found: at most AFTER events after it, so that it is among them. */
const AROUND = 200
const AFTER = 100
/** Conversations of which it is remembered what was seen. */
const MAX_SEEN = 200
/** Sessions of which it is remembered that they came back and nobody has read it. */
const MAX_BACK = 20

export class Talks {
  readonly #w: TalksWiring
  readonly #choice = signal<{ realmId: string; id: string }>({ realmId: '', id: '' })
  readonly #look = signal<Look | null>(null)
  readonly #seen = signal<{ realmId: string; at: Readonly<Record<string, string>> }>({ realmId: '', at: {} })
  /** Starts of this page that have not been answered. */
  readonly #starts = new Set<string>()
  /** The dialog that begins a conversation; null where none is open. */
  readonly starting = signal<StartAsk | null>(null)
  /** A conversation was begun here: its place to write takes the focus. */
  readonly entering = signal(false)
  /** The dialog that erases; null where none is open. */
  readonly erasing = signal<Erasing | null>(null)
  /** The skill that is read; "" for none. */
  readonly skill = signal('')
  /** The team that is being set, until its session is there. */
  readonly #setting = signal<{ requestId: string; after: number } | null>(null)
  /** The conversation that was shown last: one that is erased stays chosen, so that it says so. */
  #last = ''
  /** Counts how often a conversation was asked to be shown: whoever holds the tabs follows it. */
  readonly shown = signal(0)
  /** What is being written in the conversation that is shown; null where nothing was typed since it is. */
  readonly written = signal<{ conversationId: string; text: string } | null>(null)
  /** Words that go back to where they are written, because they were taken back or refused. */
  readonly returned = signal<{ conversationId: string; text: string } | null>(null)

  constructor(wiring: TalksWiring) {
    this.#w = wiring
    effect(() => this.#enter(wiring.model.realm?.id ?? ''))
    effect(() => this.#follow(wiring.model.realm?.begun ?? null))
    effect(() => this.#arrive())
    effect(() => this.#restored(wiring.model.realm?.sessions))
    effect(() => this.#stay(this.chosen.value))
  }

  /** The conversation that is shown: HALL where there is none, "" without a realm. */
  readonly chosen = computed((): string => {
    const r = this.#w.model.realm
    if (!r) return ''
    const { realmId, id } = this.#choice.value
    const process = r.world.processState.conversationId
    if (realmId === r.id && id !== '' && !(id === HALL && process)) return id
    return process || (talks(this.#w.model)[0]?.conversationId ?? HALL)
  })

  readonly look = computed((): Look | null =>
    this.#look.value?.conversationId === this.chosen.value ? this.#look.value : null,
  )

  /** What was seen of each conversation: when it had last changed; "" for those that are not named. */
  get seen(): Readonly<Record<string, string>> {
    return this.#seen.value.at
  }

  /** Shows a conversation; the process at hand is followed to the next one. */
  choose(id: string): void {
    const r = this.#w.model.realm
    if (!r) return
    const kept = id === r.world.processState.conversationId ? '' : id
    this.#last = id
    this.#choice.value = { realmId: r.id, id: kept }
    this.#look.value = null
    if (kept === '') this.#w.shelf.remove(`conversation.${r.id}`)
    else this.#w.shelf.set(`conversation.${r.id}`, kept)
    this.shown.value++
  }

  /** Leads to a row that was found. */
  goTo(conversationId: string, seq: number, messageId: string): void {
    this.choose(conversationId)
    const r = this.#w.model.realm
    this.#look.value = { conversationId, stageId: '', messageId }
    if (r?.views[conversationId]?.messages.some((m) => m.messageId === messageId)) return
    this.#w.send({ type: 'conversation.open', conversationId, before: seq + AFTER, limit: AROUND })
  }

  /** Shows the rows of one stage, or all of them. */
  readStage(conversationId: string, stageId: string): void {
    this.#look.value = stageId === '' ? null : { conversationId, stageId, messageId: '' }
    if (stageId !== '') this.#w.send({ type: 'conversation.open', conversationId, stageId, limit: PAGE })
  }

  /** Back to the newest rows of all. */
  readAll(): void {
    this.#look.value = null
  }

  open(conversationId: string): SendResult {
    return this.#w.send({ type: 'conversation.open', conversationId, limit: PAGE })
  }

  /** Asks for rows before the oldest that is here. */
  older(conversationId: string): void {
    const r = this.#w.model.realm
    const look = this.look.value
    const page = look && r?.page?.conversationId === conversationId && r.page.stageId === look.stageId ? r.page : null
    const before = page ? (page.rows[0]?.seq ?? 0) : r ? reachIn(r, conversationId) : 0
    if (before > 0)
      this.#w.send({
        type: 'conversation.open',
        conversationId,
        before,
        limit: PAGE,
        ...(look?.stageId ? { stageId: look.stageId } : {}),
      })
  }

  /** Asks for the list of conversations, or for what follows in it. */
  list(more: boolean): void {
    const r = this.#w.model.realm
    if (!r) return
    const last = more
      ? Object.values(r.heads).reduce<{ at: string; id: string } | null>(
          (l, h) =>
            h.updatedAt && (!l || h.updatedAt < l.at || (h.updatedAt === l.at && h.conversationId > l.id))
              ? { at: h.updatedAt, id: h.conversationId }
              : l,
          null,
        )
      : null
    this.#w.send({ type: 'conversation.list', limit: LISTED, ...(last ? { before: last.at, beforeId: last.id } : {}) })
  }

  /**
   * Says something in a conversation, or chooses answers to what it asks; who spoke meanwhile is told by the
   * server.
   */
  say(conversationId: string, content: string, memberId?: string, choices: readonly string[] = []): SendResult {
    const r = this.#w.model.realm
    const waiting = this.#w.pending.value.some(
      (p) => p.frame.type === 'chat.send' && p.frame.conversationId === conversationId,
    )
    const seen = waiting ? 0 : seenSeq(r?.views[conversationId]?.messages ?? [])
    return this.#w.send({
      type: 'chat.send',
      requestId: newRequestId(),
      conversationId,
      content,
      ...(memberId ? { memberId } : {}),
      ...(seen ? { seenSeq: seen } : {}),
      ...(choices.length > 0 ? { choices: [...choices] } : {}),
    })
  }

  /** Puts the line away that says who spoke first. */
  noticed(): void {
    if (this.#w.model.realm?.overtaken)
      this.#w.change((m) => (m.realm ? { ...m, realm: { ...m.realm, overtaken: null } } : m))
  }

  /** Begins a conversation; it is shown once it is there. */
  start(frame: Omit<ConversationStart, 'type' | 'requestId'>): SendResult {
    const result = this.#w.send({ type: 'conversation.start', ...frame })
    if (result.ok) this.#starts.add(result.requestId)
    return result
  }

  /** Puts refused beginnings away: another is tried. */
  clearRefusedStarts(): void {
    for (const p of this.#w.pending.value)
      if (p.frame.type === 'conversation.start' && p.status === 'refused') this.#w.discard(p.requestId)
  }

  /** From a conversation that was erased to what there is. */
  leaveErased(): void {
    const r = this.#w.model.realm
    if (!r) return
    this.#last = ''
    this.#choice.value = { realmId: r.id, id: '' }
    this.#w.shelf.remove(`conversation.${r.id}`)
  }

  /** Asks which teams there are and which sessions they have. */
  teams(): void {
    this.#w.send({ type: 'team:list' })
  }

  /** Begins a session of a team, or goes on with an earlier one; it is shown once it is there. */
  setTeam(teamId: string, resumeSessionId = ''): SendResult {
    const result = this.#w.send({ type: 'team:set', teamId, ...(resumeSessionId ? { resumeSessionId } : {}) })
    if (result.ok) this.#setting.value = { requestId: result.requestId, after: this.#w.model.realm?.ready?.seq ?? 0 }
    return result
  }

  /**
   * The notice of a session has been read, and who of its speakers is missing: that is not told again by this browser.
   */
  readSession(conversationId: string, missing: readonly { id: string }[]): void {
    if (missing.length > 0) this.#w.shelf.set(`missing.${conversationId}`, idsOf(missing))
    this.#w.shelf.remove(`restored.${conversationId}`)
    this.#w.change((m) =>
      m.realm ? { ...m, realm: { ...m.realm, sessions: putAway(m.realm.sessions, conversationId) } } : m,
    )
  }

  /** What came back with a session, as long as nobody has read it here: across reloads too (S2-12). */
  cameBack(conversationId: string): CameBack | null {
    const now = this.#w.model.realm?.sessions[conversationId]?.restored
    return now ? backOf(now) : readBack(this.#w.shelf.get(`restored.${conversationId}`))
  }

  /** Whether it has been read who is missing in a session. */
  wasRead(conversationId: string, missing: readonly { id: string }[]): boolean {
    return this.#w.shelf.get(`missing.${conversationId}`) === idsOf(missing)
  }

  /** Nothing of these conversations is remembered any more. */
  forget(gone: readonly string[]): void {
    const ids = new Set(gone)
    for (const id of gone) for (const key of [`missing.${id}`, `restored.${id}`]) this.#w.shelf.remove(key)
    const { realmId, at } = this.#seen.peek()
    const left = Object.fromEntries(Object.entries(at).filter(([id]) => !ids.has(id)))
    if (realmId !== '' && Object.keys(left).length < Object.keys(at).length) this.#keep(realmId, left)
    if (ids.has(this.#w.shelf.get(`conversation.${realmId}`) ?? '')) this.#w.shelf.remove(`conversation.${realmId}`)
    if (ids.has(this.returned.peek()?.conversationId ?? '')) this.returned.value = null
  }

  /** What is there of a conversation has been seen. */
  sawNow(conversationId: string): void {
    const m = this.#w.model
    const at = m.realm && headOf(m.realm, conversationId)?.updatedAt
    const { realmId, at: before } = this.#seen.value
    if (!m.realm || !at || realmId !== m.realm.id || !isLater(at, before[conversationId] ?? '')) return
    const { [conversationId]: _, ...others } = before
    this.#keep(realmId, { ...Object.fromEntries(Object.entries(others).slice(-MAX_SEEN)), [conversationId]: at })
  }

  #keep(realmId: string, at: Readonly<Record<string, string>>): void {
    this.#seen.value = { realmId, at }
    this.#w.shelf.set(`seen.${realmId}`, JSON.stringify(at))
  }

  /** Another realm: what this browser remembers of it. At the first time nothing of it is new. */
  #enter(realmId: string): void {
    if (realmId === '' || realmId === untracked(() => this.#seen.value.realmId)) return
    untracked(() => {
      this.#choice.value = { realmId, id: this.#w.shelf.get(`conversation.${realmId}`) ?? '' }
      const known = readSeen(this.#w.shelf.get(`seen.${realmId}`))
      if (known) this.#seen.value = { realmId, at: known }
      else this.#keep(realmId, { '': new Date().toISOString() })
    })
  }

  /** A session came back: how much of it is remembered until it has been read. */
  #restored(sessions: RealmModel['sessions'] | undefined): void {
    for (const [id, s] of Object.entries(sessions ?? {})) {
      if (s.restored === null) continue
      this.#w.shelf.set(`restored.${id}`, JSON.stringify(backOf(s.restored)))
      const kept = this.#w.shelf.keys('restored.')
      for (const key of kept.filter((k) => k !== `restored.${id}`).slice(0, Math.max(0, kept.length - MAX_BACK)))
        this.#w.shelf.remove(key)
    }
  }

  /** The session that was asked for is there: it is shown. */
  #arrive(): void {
    const asked = this.#setting.value
    if (asked === null) return
    const waiting = this.#w.pending.value.find((p) => p.requestId === asked.requestId)
    const ready = this.#w.model.realm?.ready ?? null
    if (waiting?.status === 'refused') this.#setting.value = null
    else if (waiting === undefined && ready !== null && ready.seq > asked.after) {
      this.#setting.value = null
      untracked(() => this.choose(ready.conversationId))
    }
  }

  #stay(id: string): void {
    const r = this.#w.model.realm
    if (r && id !== this.#last && isErased(r, this.#last) && this.#last !== '') {
      const last = this.#last
      untracked(() => (this.#choice.value = { realmId: r.id, id: last }))
    } else this.#last = id
  }

  #follow(begun: { conversationId: string; requestId: string } | null): void {
    if (begun === null || !this.#starts.delete(begun.requestId)) return
    untracked(() => this.choose(begun.conversationId))
  }
}

function idsOf(missing: readonly { id: string }[]): string {
  return missing
    .map((x) => x.id)
    .sort()
    .join()
}

function backOf(ev: SessionRestored): CameBack {
  return { messages: ev.messageCount, by: ev.stats?.messagesByRole ?? {} }
}

function readBack(text: string | null): CameBack | null {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<CameBack> | null
    if (typeof value?.messages !== 'number' || typeof value.by !== 'object' || value.by === null) return null
    return {
      messages: value.messages,
      by: Object.fromEntries(Object.entries(value.by).filter(([, n]) => typeof n === 'number')),
    }
  } catch {
    return null
  }
}

function readSeen(text: string | null): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return Object.fromEntries(Object.entries(value).filter((e): e is [string, string] => typeof e[1] === 'string'))
  } catch {
    return null
  }
}
