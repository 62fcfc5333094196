// Which conversation is shown, which ones have unread rows, and the commands about conversations: open, list, start,
// say. The browser's storage keeps the choices across reloads.
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import type { SafeStorage } from './identity/storage'
import { newRequestId } from './net/frames'
import type { CommandFrame, Pending, SendResult } from './net/outbox'
import type { ConversationStart, SessionRestored } from './net/protocol.gen'
import { kindOf } from './kinds/kinds'
import { listConversations } from './kinds/list-conversations'
import { commandIn } from './slash'
import { isErased } from './state/erased'
import type { Model, RealmModel } from './state/model'
import { lastRemark, REMARKS } from './state/news'
import { putAway } from './state/session-notices'
import { completeSince } from './state/snapshots'
import { headOf, isLater, seenSeq } from './state/conversations'

/** The initial values of the dialog that starts a conversation. */
export interface StartAsk {
  /** The id of a StartOption; "" for the default one. */
  kind: string
  memberIds: readonly string[]
}

/** The subject of the erase dialog: a conversation, or the words of the person at this page. */
export type Erasing = { what: 'conversation'; id: string; title: string; note: string } | { what: 'me'; id: string }

/** How many messages a restored session of a party brought back, in all and by each speaker's id. */
export interface RestoredCounts {
  messages: number
  by: Readonly<Record<string, number>>
}

/** The part of a transcript that is shown: one stage, or the rows around a search hit. */
export interface TranscriptPart {
  conversationId: string
  stageId: string
  /** The row to scroll to; "" for none. */
  messageId: string
}

export interface ConversationsWiring {
  /** The fields of the model are signals: a component depends only on the fields that it reads. */
  model: Model
  pending: ReadonlySignal<readonly Pending[]>
  storage: SafeStorage
  send: (frame: CommandFrame) => SendResult
  change: (how: (m: Model) => Model) => void
}

/** The id of the list entry for messages outside of any conversation, which is shown while no process runs. */
export const HALL = 'hall'

/** PAGE: the number of rows in one request. LIST_PAGE: the number of conversations in one request. */
export const PAGE = 50
const LIST_PAGE = 50
/**
 * AROUND: the number of rows that a request around a search hit asks for. AFTER: the request asks for rows with a seq
 * below that of the hit plus AFTER, so that the hit is among the rows.
 */
const AROUND = 200
const AFTER = 100
/**
 * To find the chat to which this page's last command led, the page looks for the command's row among this many newest
 * rows of each chat.
 */
const NEWEST = 8
/**
 * The maximum number of conversations in `seen` besides the conversation that the person saw last. The oldest entries
 * are dropped, but never the time of the first visit.
 */
const MAX_SEEN = 200
/** The maximum number of restored sessions of parties whose counts the storage keeps until their notice was read. */
const MAX_BACK = 20

export class Conversations {
  readonly #wiring: ConversationsWiring
  readonly #choice = signal<{ realmId: string; id: string }>({ realmId: '', id: '' })
  /**
   * A live conversation that the page shows although the person has chosen none. It stays shown, also after its end,
   * whatever others begin meanwhile, because the person may read it.
   */
  readonly #kept = signal<{ realmId: string; id: string }>({ realmId: '', id: '' })
  readonly #part = signal<TranscriptPart | null>(null)
  readonly #seen = signal<{ realmId: string; at: Readonly<Record<string, string>> }>({ realmId: '', at: {} })
  /** Request ids of unanswered conversation.start commands of this page. */
  readonly #starts = new Set<string>()
  /** The request id of the last command that can lead to a chat; "" once the page shows that chat. */
  readonly #asked = signal('')
  /** Whether a phone shows the list of conversations in place of a transcript. */
  readonly listed = signal(false)
  /** The dialog that starts a conversation; null while it is closed. */
  readonly starting = signal<StartAsk | null>(null)
  /** True after this page entered a conversation, until the conversation's box for text has taken the focus. */
  readonly focusComposer = signal(false)
  /** The erase dialog; null while it is closed. */
  readonly erasing = signal<Erasing | null>(null)
  /** The name of the skill that is open; "" for none. */
  readonly skill = signal('')
  /**
   * The team:set command that team:ready has not answered yet. after: the seq of the last team:ready before the
   * command.
   */
  readonly #pendingTeam = signal<{ requestId: string; after: number } | null>(null)
  /**
   * The conversation that was shown last. An erased conversation stays chosen, so that the page reports the erasure.
   */
  #lastShown = ''
  /** The conversation that was asked for last and that the server does not have; '' for none. */
  #missing = ''
  /** Counts the calls that show a conversation, so that a call for the conversation shown already is noticed too. */
  readonly shownCount = signal(0)
  /** The text in the composer; null until the person types in the conversation that is shown. */
  readonly composerText = signal<{ conversationId: string; text: string } | null>(null)
  /**
   * The text of a message that the person took back or the server refused. The composer puts the text back into its
   * field.
   */
  readonly returned = signal<{ conversationId: string; text: string } | null>(null)

  constructor(wiring: ConversationsWiring) {
    this.#wiring = wiring
    effect(() => this.#loadRealm(wiring.model.realm?.id ?? ''))
    effect(() => this.#chooseStarted(wiring.model.realm?.begun ?? null))
    effect(() => this.#chooseReadyTeam())
    effect(() => this.#chooseAsked())
    effect(() => this.#rememberRestored(wiring.model.realm?.sessionNotices))
    effect(() => this.#keepErasedChosen(this.chosen.value))
    effect(() => this.#keepLive(this.chosen.value))
  }

  /**
   * The id of the conversation that is shown; HALL if the messages outside of any conversation are shown; "" if the
   * page has no realm.
   */
  readonly chosen = computed((): string => {
    const r = this.#wiring.model.realm
    if (!r) return ''
    const { realmId, id } = this.#choice.value
    const process = r.world.processState.conversationId
    if (realmId === r.id && id !== '' && !(id === HALL && process)) return id
    const kept = this.#kept.value
    if (process || (kept.realmId === r.id && headOf(r, kept.id))) return process || kept.id
    return listConversations(this.#wiring.model)[0]?.conversationId ?? HALL
  })

  /** Whether the current process is shown or, if there is none, the process that starts next. */
  get showsProcess(): boolean {
    const { realmId, id } = this.#choice.value
    const r = this.#wiring.model.realm
    return r !== null && (realmId !== r.id || id === '' || this.chosen.value === r.world.processState.conversationId)
  }

  readonly part = computed((): TranscriptPart | null =>
    this.#part.value?.conversationId === this.chosen.value ? this.#part.value : null,
  )

  /**
   * For each conversationId, the conversation's updatedAt when the person last saw it. Key "" has the time of the
   * person's first visit to the realm, which is used for conversations without a key.
   */
  get seen(): Readonly<Record<string, string>> {
    return this.#seen.value.at
  }

  /**
   * Shows a conversation. For the current process, the stored choice is "", which always means the current process.
   * So the page shows a process that starts later without a new choice.
   */
  choose(id: string): void {
    const r = this.#wiring.model.realm
    if (!r) return
    const kept = id === r.world.processState.conversationId ? '' : id
    this.#lastShown = id
    this.#choice.value = { realmId: r.id, id: kept }
    this.#part.value = null
    this.focusComposer.value = false
    if (kept === '') this.#wiring.storage.remove(`conversation.${r.id}`)
    else this.#wiring.storage.set(`conversation.${r.id}`, kept)
    this.shownCount.value++
  }

  /** Shows a conversation that the person has begun or answers in, with the cursor in its box for text. */
  enter(id: string): void {
    this.choose(id)
    this.focusComposer.value = true
  }

  /** Shows the current process or, without a process, the messages outside of any conversation. */
  enterProcess(): void {
    this.enter(this.#wiring.model.realm?.world.processState.conversationId || HALL)
  }

  /** Makes the page show the process that it has started in a realm, even if the process has not arrived yet. */
  showProcess(realmId: string): void {
    this.#wiring.storage.remove(`conversation.${realmId}`)
    if (this.#choice.value.realmId === realmId) this.#choice.value = { realmId, id: '' }
    this.#lastShown = ''
    this.#part.value = null
    this.shownCount.value++
    this.focusComposer.value = true
  }

  /**
   * Makes the page show the conversation to which the command with this requestId leads, as soon as that conversation
   * is known.
   */
  follow(requestId: string, text: string): void {
    if (/^\/team\s+deploy\s/.test(text)) this.#awaitTeam(requestId)
    else if (commandIn(text) === '' || text.startsWith('/ask ')) this.#asked.value = requestId
  }

  /** Shows a search hit: opens its conversation and scrolls to its row. */
  openAtRow(conversationId: string, seq: number, messageId: string): void {
    this.choose(conversationId)
    const r = this.#wiring.model.realm
    this.#part.value = { conversationId, stageId: '', messageId }
    if (r?.views[conversationId]?.messages.some((m) => m.messageId === messageId)) return
    this.#wiring.send({ type: 'conversation.open', conversationId, before: seq + AFTER, limit: AROUND })
  }

  /** Shows the rows of one stage; "" shows all. */
  openStage(conversationId: string, stageId: string): void {
    this.#part.value = stageId === '' ? null : { conversationId, stageId, messageId: '' }
    if (stageId !== '') this.#wiring.send({ type: 'conversation.open', conversationId, stageId, limit: PAGE })
  }

  /** Shows the newest rows. */
  showNewest(): void {
    this.#part.value = null
  }

  open(conversationId: string): SendResult {
    return this.#wiring.send({ type: 'conversation.open', conversationId, limit: PAGE })
  }

  /** Asks for the rows before the oldest row that the page has. */
  older(conversationId: string): void {
    const r = this.#wiring.model.realm
    const part = this.part.value
    const page = part && r?.page?.conversationId === conversationId && r.page.stageId === part.stageId ? r.page : null
    const before = page ? (page.rows[0]?.seq ?? 0) : r ? completeSince(r, conversationId) : 0
    if (before > 0)
      this.#wiring.send({
        type: 'conversation.open',
        conversationId,
        before,
        limit: PAGE,
        ...(part?.stageId ? { stageId: part.stageId } : {}),
      })
  }

  /** Asks for the list of conversations, or for its next page. */
  list(more: boolean): void {
    const r = this.#wiring.model.realm
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
    this.#wiring.send({
      type: 'conversation.list',
      limit: LIST_PAGE,
      ...(last ? { before: last.at, beforeId: last.id } : {}),
    })
  }

  /**
   * Sends a message, or the chosen answers to a question. seenSeq tells the server the newest row of a person that this
   * page has; if the transcript has a newer one, the server sends conversation.overtaken.
   */
  say(conversationId: string, content: string, memberId?: string, choices: readonly string[] = []): SendResult {
    const r = this.#wiring.model.realm
    const waiting = this.#wiring.pending.value.some(
      (p) => p.frame.type === 'chat.send' && p.frame.conversationId === conversationId,
    )
    const seen = waiting ? 0 : seenSeq(r?.views[conversationId]?.messages ?? [])
    return this.#wiring.send({
      type: 'chat.send',
      requestId: newRequestId(),
      conversationId,
      content,
      ...(memberId ? { memberId } : {}),
      ...(seen ? { seenSeq: seen } : {}),
      ...(choices.length > 0 ? { choices: [...choices] } : {}),
    })
  }

  /**
   * Stores what the person types in a conversation, which then stays shown, whatever others begin meanwhile.
   */
  write(conversationId: string, text: string): void {
    this.composerText.value = { conversationId, text }
    this.stay(conversationId)
  }

  /** Makes the conversation the person's choice, if the page has shown it without one. */
  stay(id: string): void {
    const r = this.#wiring.model.realm
    if (!r || this.chosen.peek() !== id || id === HALL || id === r.world.processState.conversationId) return
    if (this.#choice.peek().id === id) return
    this.#choice.value = { realmId: r.id, id }
    this.#wiring.storage.set(`conversation.${r.id}`, id)
  }

  /** Whether a message to the conversation is pending. */
  isSending(conversationId: string): boolean {
    return this.#wiring.pending.value.some(
      (p) => p.status !== 'refused' && p.frame.type === 'chat.send' && p.frame.conversationId === conversationId,
    )
  }

  /** Closes the notice that another person's message arrived first. */
  dismissOvertaken(): void {
    if (this.#wiring.model.realm?.overtaken)
      this.#wiring.change((m) => (m.realm ? { ...m, realm: { ...m.realm, overtaken: null } } : m))
  }

  /** Starts a conversation and shows it when the server has started it. */
  start(frame: Omit<ConversationStart, 'type' | 'requestId'>): SendResult {
    const result = this.#wiring.send({ type: 'conversation.start', ...frame })
    if (result.ok) this.#starts.add(result.requestId)
    return result
  }

  /** Records that the server has no such conversation: a reload then does not show it again. */
  missing(id: string): void {
    const r = this.#wiring.model.realm
    if (!r) return
    this.#missing = id
    this.#wiring.storage.remove(`conversation.${r.id}`)
  }

  /** Leaves the conversation that is shown, if the server has no such conversation. */
  leaveMissing(): void {
    if (this.#missing === '' || this.chosen.peek() !== this.#missing) return
    this.#missing = ''
    this.leaveErased()
  }

  /** Leaves an erased conversation. */
  leaveErased(): void {
    const r = this.#wiring.model.realm
    if (!r) return
    this.#lastShown = ''
    this.#choice.value = { realmId: r.id, id: '' }
    this.#wiring.storage.remove(`conversation.${r.id}`)
  }

  /** Asks for the teams and their sessions. */
  teams(): void {
    this.#wiring.send({ type: 'team:list' })
  }

  /**
   * Starts a session of a team, or resumes the session resumeSessionId. The page shows the session after its
   * team:ready.
   */
  setTeam(teamId: string, resumeSessionId = ''): SendResult {
    const result = this.#wiring.send({ type: 'team:set', teamId, ...(resumeSessionId ? { resumeSessionId } : {}) })
    if (result.ok) this.#awaitTeam(result.requestId)
    return result
  }

  #awaitTeam(requestId: string): void {
    this.#pendingTeam.value = { requestId, after: this.#wiring.model.realm?.ready?.seq ?? 0 }
  }

  /**
   * Records that the notice of a restored session was read. This browser does not warn again about the same missing
   * members.
   */
  readSession(conversationId: string, missing: readonly { id: string }[]): void {
    if (missing.length > 0) this.#wiring.storage.set(`missing.${conversationId}`, idsOf(missing))
    this.#wiring.storage.remove(`restored.${conversationId}`)
    this.#wiring.change((m) =>
      m.realm ? { ...m, realm: { ...m.realm, sessionNotices: putAway(m.realm.sessionNotices, conversationId) } } : m,
    )
  }

  /**
   * The numbers of messages of a restored session; null once the person has read the notice. They survive a reload
   * (S2-12).
   */
  restoredCounts(conversationId: string): RestoredCounts | null {
    const now = this.#wiring.model.realm?.sessionNotices[conversationId]?.restored
    return now ? countsOf(now) : parseCounts(this.#wiring.storage.get(`restored.${conversationId}`))
  }

  /** Whether the person has read the warning about these missing members, in this browser. */
  wasWarningRead(conversationId: string, missing: readonly { id: string }[]): boolean {
    return this.#wiring.storage.get(`missing.${conversationId}`) === idsOf(missing)
  }

  /** Deletes what this browser remembers of erased conversations. gone: the erased ids. */
  forget(gone: readonly string[]): void {
    const ids = new Set(gone)
    for (const id of gone) for (const key of [`missing.${id}`, `restored.${id}`]) this.#wiring.storage.remove(key)
    const { realmId, at } = this.#seen.peek()
    const left = Object.fromEntries(Object.entries(at).filter(([id]) => !ids.has(id)))
    if (realmId !== '' && Object.keys(left).length < Object.keys(at).length) this.#saveSeen(realmId, left)
    if (ids.has(this.#wiring.storage.get(`conversation.${realmId}`) ?? ''))
      this.#wiring.storage.remove(`conversation.${realmId}`)
    if (ids.has(this.returned.peek()?.conversationId ?? '')) this.returned.value = null
  }

  /** Marks the conversation as read up to its last change, and the words to everybody that are shown in it. */
  markSeen(conversationId: string): void {
    const m = this.#wiring.model
    if (!m.realm || m.realm.id !== this.#seen.value.realmId) return
    this.#saw(m.realm.id, conversationId, headOf(m.realm, conversationId)?.updatedAt)
    if (conversationId === m.realm.world.processState.conversationId)
      this.#saw(m.realm.id, REMARKS, lastRemark(m.realm, m.me?.spectatorId))
  }

  #saw(realmId: string, key: string, at: string | null | undefined): void {
    const { at: before } = this.#seen.value
    if (!at || !isLater(at, before[key] ?? '')) return
    const { [key]: _, '': firstVisit = '', ...others } = before
    const newest = Object.fromEntries(Object.entries(others).slice(-MAX_SEEN))
    this.#saveSeen(realmId, { '': firstVisit, ...newest, [key]: at })
  }

  #saveSeen(realmId: string, at: Readonly<Record<string, string>>): void {
    this.#seen.value = { realmId, at }
    this.#wiring.storage.set(`seen.${realmId}`, JSON.stringify(at))
  }

  /**
   * Loads what this browser remembers of a realm. On the first visit to the realm, all its conversations count as read.
   */
  #loadRealm(realmId: string): void {
    if (realmId === '' || realmId === untracked(() => this.#seen.value.realmId)) return
    untracked(() => {
      this.#choice.value = { realmId, id: this.#wiring.storage.get(`conversation.${realmId}`) ?? '' }
      const known = parseSeen(this.#wiring.storage.get(`seen.${realmId}`))
      // An older page could drop the time of the first visit: all conversations would count as unread for ever.
      if (known?.['']) this.#seen.value = { realmId, at: known }
      else this.#saveSeen(realmId, { '': new Date().toISOString(), ...known })
    })
  }

  /** Remembers the counts of restored sessions until the person has read the notice. */
  #rememberRestored(sessions: RealmModel['sessionNotices'] | undefined): void {
    for (const [id, s] of Object.entries(sessions ?? {})) {
      if (s.restored === null) continue
      this.#wiring.storage.set(`restored.${id}`, JSON.stringify(countsOf(s.restored)))
      const kept = this.#wiring.storage.keys('restored.')
      for (const key of kept.filter((k) => k !== `restored.${id}`).slice(0, Math.max(0, kept.length - MAX_BACK)))
        this.#wiring.storage.remove(key)
    }
  }

  /** Shows the session that the pending team:set asked for, when the server has sent its team:ready. */
  #chooseReadyTeam(): void {
    const asked = this.#pendingTeam.value
    if (asked === null) return
    const waiting = this.#wiring.pending.value.find((p) => p.requestId === asked.requestId)
    const ready = this.#wiring.model.realm?.ready ?? null
    if (waiting?.status === 'refused') this.#pendingTeam.value = null
    else if (waiting === undefined && ready !== null && ready.seq > asked.after) {
      this.#pendingTeam.value = null
      untracked(() => this.enter(ready.conversationId))
    }
  }

  /**
   * Shows the chat that answers this page's last command, as soon as the chat has a run or a row of the command.
   */
  #chooseAsked(): void {
    const requestId = this.#asked.value
    const r = this.#wiring.model.realm
    if (requestId === '' || !r) return
    const found = Object.values(r.views).find(
      (v) =>
        v.conversationId !== r.world.processState.conversationId &&
        (v.activeRuns.some((x) => x.requestId === requestId) ||
          v.messages.slice(-NEWEST).some((x) => x.requestId === requestId)),
    )
    if (found === undefined) return
    this.#asked.value = ''
    untracked(() => this.enter(found.conversationId))
  }

  /** Keeps a live conversation that the page has chosen. Any other gives way to the next one that begins. */
  #keepLive(id: string): void {
    const r = this.#wiring.model.realm
    const head = r && headOf(r, id)
    if (r && head && kindOf(head).isLive(head) && this.#kept.peek().id !== id) this.#kept.value = { realmId: r.id, id }
  }

  #keepErasedChosen(id: string): void {
    const r = this.#wiring.model.realm
    if (r && id !== this.#lastShown && isErased(r, this.#lastShown) && this.#lastShown !== '') {
      const last = this.#lastShown
      untracked(() => (this.#choice.value = { realmId: r.id, id: last }))
    } else this.#lastShown = id
  }

  #chooseStarted(begun: { conversationId: string; requestId: string } | null): void {
    if (begun === null || !this.#starts.delete(begun.requestId)) return
    untracked(() => this.enter(begun.conversationId))
  }
}

function idsOf(missing: readonly { id: string }[]): string {
  return missing
    .map((x) => x.id)
    .sort()
    .join()
}

function countsOf(ev: SessionRestored): RestoredCounts {
  return { messages: ev.messageCount, by: ev.stats?.messagesByRole ?? {} }
}

function parseCounts(text: string | null): RestoredCounts | null {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<RestoredCounts> | null
    if (typeof value?.messages !== 'number' || typeof value.by !== 'object' || value.by === null) return null
    return {
      messages: value.messages,
      by: Object.fromEntries(Object.entries(value.by).filter(([, n]) => typeof n === 'number')),
    }
  } catch {
    return null
  }
}

function parseSeen(text: string | null): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return Object.fromEntries(Object.entries(value).filter((e): e is [string, string] => typeof e[1] === 'string'))
  } catch {
    return null
  }
}
