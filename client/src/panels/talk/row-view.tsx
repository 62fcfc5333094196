// How each row of a transcript looks: a bubble with who, when and what; tools that
// fold; quiet lines; and what this page has sent and the server has not answered.
import type { ComponentChildren } from 'preact'
import { sayingOf, type Pending } from '../../net/outbox'
import type { ConversationView, Message } from '../../net/protocol.gen'
import { ERASED } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { casting, colorOf, isMine, nameOf } from '../../state/select'
import { cutOff, memberName, memberOf } from '../../state/talks'
import { clock, moment, words } from '../../words'
import { useApp } from '../context'
import { CopyIcon } from './copy-icon'
import { GrowingMarkdown, Markdown } from '../markdown'
import { plainName, Shield, StateMark } from '../marks'
import { noteText } from '../note-text'
import { Folding } from '../plain'
import { choiceText } from './forge'
import { readSaid, sameName } from './marks-said'
import { askedBy } from './party'
import { messageText, type Row } from './rows'
import { StopRun } from './stop-run'
import { ToolRow } from './tool-row'

interface Props {
  row: Row
  realm: RealmModel
  view: ConversationView | null
  /** The row that the reader was led to. */
  led: boolean
}

export function RowView({ row, realm, view, led }: Props) {
  switch (row.kind) {
    case 'stage':
    case 'day':
      return (
        <h3 class={row.kind === 'day' ? 'day-line' : 'stage-line'}>
          <span>{row.name}</span>
        </h3>
      )
    case 'message':
      if (row.message.role === 'system') {
        return (
          <p
            class={`system-line${view?.kind === 'process' ? '' : ' system-quiet'}${led ? ' led' : ''}`}
            data-testid="message"
            data-role="system"
            data-status={row.message.status}
          >
            <span>{row.message.content}</span>
          </p>
        )
      }
      return (
        <div class={led ? 'led' : undefined}>
          {row.message.role === 'tool' && row.message.tool ? (
            <ToolRow
              message={row.message}
              name={row.message.name || (view ? memberName(realm, view, row.message.memberId) : row.message.memberId)}
            />
          ) : (
            <Bubble message={row.message} realm={realm} view={view} />
          )}
        </div>
      )
    case 'note': {
      const text = noteText(realm, row.note)
      return text.text ? <p class={text.bad ? 'note note-bad' : 'note'}>{text.text}</p> : null
    }
    case 'pending':
      return <PendingBubble pending={row.pending} view={view} />
    case 'older':
      return <p class="note">{row.loading ? words.talk.older : words.talk.olderKept}</p>
  }
}

function Bubble({ message: m, realm, view }: { message: Message; realm: RealmModel; view: ConversationView | null }) {
  const app = useApp()
  const { me, spectators } = app.model.value
  const stream = realm.streams[m.messageId]
  const open = m.status === 'open'
  const member = view ? memberOf(view, m.memberId) : null
  const person = m.role === 'user'
  const roleName = m.memberId && m.memberId !== m.spectatorId ? (member?.displayName ?? nameOf(realm, m.memberId)) : ''
  const party = view?.kind === 'party'
  // Words of a person that were erased keep their place.
  const erased = person && m.content === '' && m.name === ERASED && !open
  const name = (erased ? words.keep.somebody : m.name || roleName) || words.talk.system
  // Who speaks in the place of that person, as far as they are here.
  const behind =
    party && person && m.spectatorId ? (spectators.list.find((s) => s.spectatorId === m.spectatorId)?.name ?? '') : ''
  const gone = party && m.memberId !== '' && member === null
  // Words say nothing about who spoke: the row does.
  const follows = (from: string) =>
    person && [m.memberId, m.name, member?.name, member?.displayName].some((n) => n !== undefined && sameName(n, from))
  const said = party ? readSaid(open ? (stream?.text ?? '') : m.content, follows) : null
  const asks = party && view ? askedBy(realm, view, m.messageId) : ''
  const text = said?.text ?? (open ? (stream?.text ?? '') : m.content)
  // A party knows its members by their own colours; elsewhere a person has theirs.
  const ofPerson =
    person && m.spectatorId ? spectators.list.find((s) => s.spectatorId === m.spectatorId)?.color : undefined
  const ofMember = m.memberId ? (member?.color ?? colorOf(realm, m.memberId)) : undefined
  const color = erased ? undefined : party ? (ofMember ?? ofPerson) : (ofPerson ?? ofMember)
  const own =
    person &&
    me !== null &&
    (m.spectatorId
      ? m.spectatorId === me.spectatorId
      : m.memberId !== '' && isMine(casting(realm, m.memberId), app.model.value))
  const bystander = person && !m.memberId && view?.kind === 'process'
  const classes = [
    'bubble',
    open ? 'bubble-open' : '',
    m.role === 'tool' ? 'bubble-system' : '',
    own ? 'bubble-mine' : '',
    m.status !== 'done' && !open ? 'bubble-broken' : '',
  ]
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      data-testid="message"
      data-role={m.role}
      data-status={m.status}
      data-message-id={m.messageId}
      aria-busy={open}
    >
      <header>
        <Shield id={m.memberId || m.spectatorId || name} name={name} color={color} open={erased} />
        <span class="who">{name}</span>
        {gone ? (
          <span class="as">{words.party.gone}</span>
        ) : (
          roleName && plainName(roleName) !== plainName(name) && !erased && <span class="as">{roleName}</span>
        )}
        {behind && behind !== name && <span class="as">{behind}</span>}
        {bystander && <span class="as">{words.talk.bystander}</span>}
        <time dateTime={m.at} title={moment(m.at)}>
          {clock(m.at)}
        </time>
        {!open && m.content !== '' && (
          <CopyIcon text={() => messageText(m)} label={words.chats.copyOne} testid="copy-one" />
        )}
      </header>
      <div class="text markdown">
        {open ? (
          <GrowingMarkdown text={text} />
        ) : text ? (
          <Markdown text={text} />
        ) : m.damaged && !erased ? (
          <span class="note-bad" data-testid="damaged">
            {words.talk.damagedLost}
          </span>
        ) : (
          <span class="quiet">
            {erased
              ? words.keep.wordsErased
              : m.status === 'interrupted'
                ? words.talk.lost
                : said !== null && m.content !== ''
                  ? ''
                  : words.talk.nothing}
          </span>
        )}
      </div>
      {m.damaged && text !== '' && (
        <p class="note note-bad" data-testid="damaged">
          {words.talk.damaged}
        </p>
      )}
      {said !== null && (said.from !== '' || said.task !== null || asks !== '') && (
        <p class="said-marks">
          {said.from !== '' && <span class="chip">{words.party.speaksAs(said.from)}</span>}
          {said.task !== null && <span class="chip chip-wrap">{words.party.taskSet(said.task)}</span>}
          {asks !== '' && <span class="chip">{asks}</span>}
        </p>
      )}
      {open && (
        <footer class="provisional">
          <StateMark state="running" />
          <span>{words.talk.streaming}</span>
          {view && <Stop view={view} message={m} />}
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

/** Stops the run of a row that is being written. */
function Stop({ view, message: m }: { view: ConversationView; message: Message }) {
  const run = view.activeRuns.find((r) => r.requestId === m.requestId)
  return run ? <StopRun view={view} requestId={run.requestId} /> : null
}

/** After an answer that came to nothing: what happened, and the way to another. */
export function Retry({ view }: { view: ConversationView }): ComponentChildren {
  const app = useApp()
  const last = cutOff(view)
  if (last === null) return null
  const asked = app.pending.value.some(
    (p) =>
      p.frame.type === 'conversation.resume' &&
      p.frame.conversationId === view.conversationId &&
      p.status !== 'refused',
  )
  return (
    <p class="retry" role="status" data-testid="retry">
      <StateMark state="interrupted" />
      <span>{words.chats.retryHint[last.status]}</span>
      {app.host.value && (
        <button
          type="button"
          class="small"
          data-testid="retry-now-answer"
          disabled={asked}
          onClick={() => app.send({ type: 'conversation.resume', conversationId: view.conversationId })}
        >
          {words.chats.retry}
        </button>
      )}
    </p>
  )
}

function PendingBubble({ pending: p, view }: { pending: Pending; view: ConversationView | null }) {
  const app = useApp()
  const state =
    p.status === 'held'
      ? (p.error?.message ?? words.talk.held)
      : p.status === 'sent'
        ? words.talk.sent
        : words.talk.waiting
  return (
    <article class="bubble bubble-pending" data-testid="pending" data-status={p.status}>
      <div class="text">
        <Folding
          text={[p.frame.type === 'chat.send' && p.frame.choices ? choiceText(view, p.frame.choices) : '', sayingOf(p)]
            .filter(Boolean)
            .join('\n')}
          limit={600}
        />
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
