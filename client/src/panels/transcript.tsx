// The talk: rows of the transcript with their stages as headings, quiet lines
// between them, words that still stream, and what this page has sent and the
// server has not answered.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { isSaying, sayingOf, type Pending } from '../net/outbox'
import type { Message } from '../net/protocol.gen'
import type { Note, RealmModel } from '../state/model'
import { casting, colorOf, isMine, nameOf, processView } from '../state/select'
import { clock, moment, title, words } from '../words'
import { useApp } from './context'
import { noteText } from './note-text'
import { Folding, Plain, cut, tail } from './plain'
import { Shield, StateMark } from './marks'
import { WindowList } from './window-list'

type Row =
  | { kind: 'stage'; key: string; name: string }
  | { kind: 'message'; key: string; message: Message }
  | { kind: 'note'; key: string; note: Note }
  | { kind: 'pending'; key: string; pending: Pending }
  | { kind: 'older'; key: string }

/** What a streaming row shows of a long text: its end, in characters. */
const STREAM_TAIL = 4_000
/** What is read out of a new message, in characters. */
const ANNOUNCED = 300

const NO_MESSAGES: readonly Message[] = []

export function Transcript() {
  const app = useApp()
  const { realm } = app.model.value
  const view = realm ? processView(realm) : null
  const messages = view?.messages ?? NO_MESSAGES
  const notes = realm?.notes ?? []
  const pending = app.pending.value
  const realmId = realm?.id ?? null
  const rows = useMemo(() => build(realm, messages, notes, view?.hasMore ?? false, pending, realmId), [messages, notes, view?.hasMore, pending, realmId])
  if (!realm) return null
  const idle = realm.world.processState.status === 'idle'
  return (
    <div class="talk">
      <Announcer messages={messages} />
      {rows.length === 0 ? (
        <div class="empty" data-testid="transcript">
          <p>{idle ? words.talk.emptyNoProcess : words.talk.empty}</p>
          {!idle && <p class="quiet">{words.talk.emptyNext}</p>}
        </div>
      ) : (
        <WindowList items={rows} keyOf={(r) => r.key} estimate={84} follow label={words.talk.label} testid="transcript" render={(row) => <RowView row={row} realm={realm} />} />
      )}
    </div>
  )
}

function build(realm: RealmModel | null, messages: readonly Message[], notes: readonly Note[], hasMore: boolean, pending: readonly Pending[], realmId: string | null): Row[] {
  const rows: Row[] = []
  const after = new Map<string | null, Note[]>()
  const known = new Set(messages.map((m) => m.messageId))
  for (const note of notes) {
    const at = note.after !== null && known.has(note.after) ? note.after : null
    const list = after.get(at)
    if (list) list.push(note)
    else after.set(at, [note])
  }
  const addNotes = (id: string | null) => {
    for (const note of after.get(id) ?? []) rows.push({ kind: 'note', key: `n${note.id}`, note })
  }
  if (hasMore) rows.push({ kind: 'older', key: 'older' })
  addNotes(null)
  let stage = ''
  let announced = false // a row of the conversation itself told of the next stage
  for (const message of messages) {
    if (message.role === 'system') announced = true
    if (message.stageId && message.stageId !== stage) {
      stage = message.stageId
      const name = realm?.world.processState.template?.stages.find((s) => s.id === stage)?.name ?? title(stage)
      if (!announced) rows.push({ kind: 'stage', key: `s${message.messageId}`, name })
      announced = false
    }
    rows.push({ kind: 'message', key: message.messageId, message })
    addNotes(message.messageId)
  }
  for (const p of pending) {
    if (isSaying(p) && p.status !== 'refused' && p.realmId === realmId) rows.push({ kind: 'pending', key: p.requestId, pending: p })
  }
  return rows
}

function RowView({ row, realm }: { row: Row; realm: RealmModel }) {
  switch (row.kind) {
    case 'stage':
      return (
        <h3 class="stage-line">
          <span>{words.talk.stage(row.name)}</span>
        </h3>
      )
    case 'message':
      if (row.message.role === 'system') {
        return (
          <p class="system-line" data-testid="message" data-status={row.message.status}>
            <span>{row.message.content}</span>
          </p>
        )
      }
      return <Bubble message={row.message} realm={realm} />
    case 'note': {
      const text = noteText(realm, row.note)
      return text.text ? <p class={text.bad ? 'note note-bad' : 'note'}>{text.text}</p> : null
    }
    case 'pending':
      return <PendingBubble pending={row.pending} />
    case 'older':
      return <p class="note">{words.talk.older}</p>
  }
}

function Bubble({ message: m, realm }: { message: Message; realm: RealmModel }) {
  const app = useApp()
  const stream = realm.streams[m.messageId]
  const open = m.status === 'open'
  const tool = m.role === 'tool'
  const bystander = m.role === 'user' && !m.memberId
  const name = m.name || (tool ? words.talk.system : nameOf(realm, m.memberId))
  const roleName = m.memberId ? nameOf(realm, m.memberId) : ''
  const mine = m.memberId !== '' && isMine(casting(realm, m.memberId), app.model.value) && m.role === 'user'
  const classes = ['bubble', open ? 'bubble-open' : '', tool ? 'bubble-system' : '', mine ? 'bubble-mine' : '', m.status !== 'done' && !open ? 'bubble-broken' : '']
  return (
    <article class={classes.filter(Boolean).join(' ')} data-testid="message" data-status={m.status} data-message-id={m.messageId} aria-busy={open}>
      <header>
        <Shield id={m.memberId || name} name={roleName || name} color={m.memberId ? colorOf(realm, m.memberId) : undefined} />
        <span class="who">{name}</span>
        {roleName && roleName !== name && <span class="as">{roleName}</span>}
        {bystander && <span class="as">{words.talk.bystander}</span>}
        <time dateTime={m.at} title={moment(m.at)}>
          {clock(m.at)}
        </time>
      </header>
      <div class="text">{open ? <Plain text={tail(stream?.text ?? '', STREAM_TAIL)} /> : m.content ? <Folding text={m.content} /> : <span class="quiet">{words.talk.nothing}</span>}</div>
      {open && (
        <footer class="provisional">
          <StateMark state="running" />
          {words.talk.streaming}
          {(stream?.text.length ?? 0) > STREAM_TAIL && `, ${words.talk.streamed(stream?.text.length ?? 0)}`}
        </footer>
      )}
      {!open && m.status !== 'done' && (
        <footer class={`ended ended-${m.status}`}>
          <StateMark state="interrupted" />
          {words.talk.status[m.status]}
        </footer>
      )}
    </article>
  )
}

function PendingBubble({ pending: p }: { pending: Pending }) {
  const app = useApp()
  const state = p.status === 'held' ? (p.error?.message ?? words.talk.held) : p.status === 'sent' ? words.talk.sent : words.talk.waiting
  return (
    <article class="bubble bubble-pending" data-testid="pending" data-status={p.status}>
      <div class="text">
        <Folding text={sayingOf(p)} limit={600} />
      </div>
      <footer class="provisional">
        <StateMark state="waiting" />
        <span>{state}</span>
        {p.status !== 'sent' && (
          <button type="button" class="link" onClick={() => app.takeBack(p)}>
            {words.talk.takeBack}
          </button>
        )}
      </footer>
    </article>
  )
}

/** Reads out each message as it closes, not while it streams, and not the past. */
function Announcer({ messages }: { messages: readonly Message[] }) {
  const [said, setSaid] = useState('')
  const closed = useRef<string | null>(null)
  const last = messages.findLast((m) => m.status !== 'open')
  useEffect(() => {
    const before = closed.current
    closed.current = last?.messageId ?? ''
    if (before !== null && last && last.messageId !== before) setSaid(words.talk.announced(last.name, cut(last.content, ANNOUNCED)))
  }, [last?.messageId])
  return (
    <div class="visually-hidden" role="log" aria-live="polite">
      {said}
    </div>
  )
}

/** The transcript as text, for the clipboard. */
export function transcriptText(realm: RealmModel): string {
  const messages = processView(realm)?.messages ?? []
  return messages
    .filter((m) => m.status !== 'open')
    .map((m) => `${m.name || words.talk.system} (${clock(m.at)})\n${m.content}`)
    .join('\n\n')
}
