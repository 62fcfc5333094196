// A message as a bubble: who, when and what, and how it ended.
import type { ConversationView, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { clock, moment, words } from '../../words'
import { useApp } from '../context'
import { GrowingMarkdown, Markdown } from '../markdown'
import { Shield, StateMark } from '../marks'
import { authorOf, type Author } from './author'
import { CopyIcon } from './copy-icon'
import { messageText } from './rows'
import { StopRun } from './stop-run'

export function Bubble({
  message: m,
  realm,
  view,
}: {
  message: Message
  realm: RealmModel
  view: ConversationView | null
}) {
  const app = useApp()
  const open = m.status === 'open'
  const author = authorOf(app.model.value, realm, view, m)
  const { look } = author
  const classes = [
    'bubble',
    open ? 'bubble-open' : '',
    m.role === 'tool' ? 'bubble-system' : '',
    author.own ? 'bubble-mine' : '',
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
      <BubbleHead message={m} author={author} />
      <div class="text markdown">
        {open ? (
          <GrowingMarkdown text={look.text} />
        ) : look.text ? (
          <Markdown text={look.text} />
        ) : (
          <Empty message={m} author={author} />
        )}
      </div>
      {m.damaged && look.text !== '' && (
        <p class="note note-bad" data-testid="damaged">
          {words.talk.damaged}
        </p>
      )}
      {look.chips.length > 0 && (
        <p class="said-marks">
          {look.chips.map((chip, i) => (
            <span key={i} class={chip.wrap ? 'chip chip-wrap' : 'chip'}>
              {chip.text}
            </span>
          ))}
        </p>
      )}
      <BubbleFoot message={m} view={view} />
    </article>
  )
}

function BubbleHead({ message: m, author: a }: { message: Message; author: Author }) {
  return (
    <header>
      <Shield id={m.memberId || m.spectatorId || a.name} name={a.name} color={a.color} open={a.erased} />
      <span class="who">{a.name}</span>
      {a.as.map((text, i) => (
        <span key={i} class="as">
          {text}
        </span>
      ))}
      <time dateTime={m.at} title={moment(m.at)}>
        {clock(m.at)}
      </time>
      {m.status !== 'open' && m.content !== '' && (
        <CopyIcon text={() => messageText(m)} label={words.chats.copyOne} testid="copy-one" />
      )}
    </header>
  )
}

/** A row without words to show: erased, lost, damaged, or nothing was said. */
function Empty({ message: m, author: a }: { message: Message; author: Author }) {
  if (m.damaged && !a.erased) {
    return (
      <span class="note-bad" data-testid="damaged">
        {words.talk.damagedLost}
      </span>
    )
  }
  // A row of markers alone has its chips.
  const marked = m.content !== '' && a.look.text === '' && m.status !== 'interrupted' && !a.erased
  const text = a.erased ? words.keep.wordsErased : m.status === 'interrupted' ? words.talk.lost : words.talk.nothing
  return <span class="quiet">{marked ? '' : text}</span>
}

function BubbleFoot({ message: m, view }: { message: Message; view: ConversationView | null }) {
  if (m.status === 'done') return null
  if (m.status !== 'open') {
    return (
      <footer class={`ended ended-${m.status}`}>
        <StateMark state="interrupted" />
        {words.talk.status[m.status]}
      </footer>
    )
  }
  const run = view?.activeRuns.find((r) => r.requestId === m.requestId)
  return (
    <footer class="provisional">
      <StateMark state="running" />
      <span>{words.talk.streaming}</span>
      {view && run && <StopRun view={view} requestId={run.requestId} />}
    </footer>
  )
}
