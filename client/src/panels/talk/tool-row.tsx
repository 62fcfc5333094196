// The call of a tool as a row of the transcript: folded to its name and what came
// of it; opened it shows what went in and what came out. One whose outcome nobody
// knows says so without being opened.
import { useState } from 'preact/hooks'
import type { Message } from '../../net/protocol.gen'
import { clock, moment, words } from '../../words'
import { useApp } from '../context'
import { StateMark, type State } from '../marks'
import { cut } from '../plain'

const MARK: Record<Message['status'], State> = {
  open: 'running',
  done: 'done',
  error: 'interrupted',
  interrupted: 'open',
  cancelled: 'interrupted',
}
/** What of an input is shown beside the name, in characters. */
const GLIMPSE = 120

export function ToolRow({ message: m, name }: { message: Message; name: string }) {
  const [open, setOpen] = useState(false)
  const t = m.tool
  const unknown = m.status === 'interrupted'
  return (
    <article
      class={`tool tool-${m.status}`}
      data-testid="message"
      data-role="tool"
      data-status={m.status}
      data-message-id={m.messageId}
      aria-busy={m.status === 'open'}
    >
      <button
        type="button"
        class="tool-head"
        aria-expanded={open}
        data-testid="tool-open"
        onClick={() => setOpen(!open)}
      >
        <StateMark state={MARK[m.status]} />
        <span class="mono tool-name">{t?.name || words.talk.system}</span>
        <span class="mono quiet tool-input">{cut((t?.input ?? '').replace(/\s+/g, ' '), GLIMPSE)}</span>
        <span class="tool-status">{words.chats.tool.status[m.status]}</span>
        <time class="quiet" dateTime={m.at} title={moment(m.at)}>
          {clock(m.at)}
        </time>
      </button>
      {unknown && <p class="tool-unknown">{words.chats.tool.unknown}</p>}
      {m.damaged && (
        <p class="note note-bad" data-testid="damaged">
          {m.content === '' ? words.talk.damagedLost : words.talk.damaged}
        </p>
      )}
      {open && (
        <div class="tool-body">
          <p class="quiet meta">{name}</p>
          <Section label={words.chats.tool.input} text={t?.input ?? ''} none={words.chats.tool.noInput} />
          <Section
            label={words.chats.tool.output}
            text={m.content}
            none={m.status === 'open' ? words.chats.tool.status.open : words.chats.tool.noOutput}
          />
          {t?.cut && <Whole message={m} />}
        </div>
      )}
    </article>
  )
}

/** What of a text is shown at once, in characters. */
const MOST = 100_000

function Section({ label, text, none }: { label: string; text: string; none: string }) {
  const [shown, setShown] = useState(MOST)
  return (
    <section>
      <h5>{label}</h5>
      {text === '' ? (
        <p class="quiet">{none}</p>
      ) : (
        <pre class="code" tabIndex={0}>
          {cut(text, shown)}
        </pre>
      )}
      {text.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + MOST)}>
          {words.talk.part}
        </button>
      )}
    </section>
  )
}

/** The output was too long to be sent unasked: the journal has all of it. */
function Whole({ message: m }: { message: Message }) {
  const app = useApp()
  const before = (m.seq ?? 0) + 1
  const asking = app.pending.value.find(
    (p) =>
      p.frame.type === 'conversation.open' &&
      p.frame.conversationId === m.conversationId &&
      p.frame.before === before &&
      p.frame.limit === 1,
  )
  return (
    <p class="quiet">
      {words.chats.tool.cut} {asking?.status === 'refused' && asking.error?.message}{' '}
      {m.seq !== undefined && (
        <button
          type="button"
          class="link"
          data-testid="tool-whole"
          disabled={asking !== undefined && asking.status !== 'refused'}
          onClick={() => {
            if (asking) app.discard(asking.requestId)
            app.send({ type: 'conversation.open', conversationId: m.conversationId, before, limit: 1 })
          }}
        >
          {asking && asking.status !== 'refused' ? words.chats.loading : words.chats.tool.whole}
        </button>
      )}
    </p>
  )
}
