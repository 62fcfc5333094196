// The call of a tool as a row of the transcript: folded to its name and what came
// of it; opened it shows what went in and what came out. One whose outcome nobody
// knows says so without being opened.
import { useState } from 'preact/hooks'
import type { Message } from '../../net/protocol.gen'
import { clock, moment, words } from '../../words'
import { StateMark, type State } from '../state-mark'
import { cut } from '../cut'
import { ToolSection } from './tool-section'
import { ToolWhole } from './tool-whole'

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
          <ToolSection label={words.chats.tool.input} text={t?.input ?? ''} none={words.chats.tool.noInput} />
          <ToolSection
            label={words.chats.tool.output}
            text={m.content}
            none={m.status === 'open' ? words.chats.tool.status.open : words.chats.tool.noOutput}
          />
          {t?.cut && <ToolWhole message={m} />}
        </div>
      )}
    </article>
  )
}
