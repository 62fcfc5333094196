// A tool call. Folded, the row shows what the tool does, the call in a few words, the status, and when the call began
// or, while it runs, for how long; opened, also the whole input and output. If the outcome of the call is unknown, the
// row says so in both states.
import { useState } from 'preact/hooks'
import type { Message } from '../../net/protocol.gen'
import { clock, facts, moment, words } from '../../words'
import { doesOf } from '../../words-acts'
import { StateMark, type State } from '../state-mark'
import { ignoredFiles } from '../../state/ignored-files'
import { questionsIn } from '../../state/questions'
import { cut } from '../cut'
import { RunningTime } from './running-time'
import { ToolQuestions } from './tool-questions'
import { ToolSection } from './tool-section'
import { ToolWhole } from './tool-whole'

const MARK: Record<Message['status'], State> = {
  open: 'running',
  done: 'done',
  error: 'interrupted',
  interrupted: 'open',
  cancelled: 'interrupted',
}

/** The maximum length of the call's short text beside the tool's name, in characters. */
const PREVIEW = 120

interface Props {
  message: Message
  /** The call in a few words. */
  brief: string
  /** The name of the agent. */
  name: string
  /** Whether the call waits for a person's permission or answer. */
  waits: boolean
  /** Whether the call was cut off before it began, because it waited for a person. */
  neverRan?: boolean
  /** Whether the call is done, but a sub-agent that it has started still works. */
  started?: boolean
}

export function ToolRow({ message: m, brief, name, waits, started = false, neverRan = false }: Props) {
  const [open, setOpen] = useState(false)
  const t = m.tool
  const tool = toolOf(m)
  const cutOff = cutOffText(m, neverRan)
  const ignored = t ? ignoredFiles(t.input) : null
  return (
    <article
      class={`tool tool-${waits ? 'waits' : m.status}`}
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
        <StateMark state={markOf(m, waits, started)} />
        <span class={tool.look} title={t?.name}>
          {tool.word}
        </span>
        <span class="mono quiet tool-input">{cut(brief.replace(/\s+/g, ' '), PREVIEW)}</span>
        <span class="tool-status">{statusText(m, waits, started, neverRan)}</span>
        {timeOf(m, waits)}
      </button>
      {!open && <ToolQuestions message={m} />}
      {cutOff && <p class="tool-unknown">{cutOff}</p>}
      {m.damaged && (
        <p class="note note-bad" data-testid="damaged">
          {m.content === '' ? words.transcript.damagedLost : words.transcript.damaged}
        </p>
      )}
      {open && (
        <div class="tool-body">
          <p class="quiet meta">{facts([name, tool.name])}</p>
          <ToolSection
            label={words.conversation.tool.input}
            text={ignored ? '' : (t?.input ?? '')}
            none={ignored ? words.conversation.tool.ignored(ignored) : words.conversation.tool.noInput}
          />
          <ToolSection
            label={words.conversation.tool.output}
            text={t?.withheld ? '' : m.content}
            none={noOutput(m, waits, ignored ?? [])}
          />
          {t?.cut && <ToolWhole message={m} />}
        </div>
      )}
    </article>
  )
}

/** What the tool does, and the tool's own name. If it is not known what it does, its own name is the word. */
function toolOf({ tool }: Message): { word: string; look: string; name: string } {
  const name = tool?.name ?? ''
  const does = doesOf(name)
  if (!does) return { word: name || words.transcript.system, look: 'mono tool-name', name: '' }
  return { word: does.charAt(0).toUpperCase() + does.slice(1), look: 'tool-name', name }
}

/** For how long the call has run or, if it does not run, when it began. */
function timeOf({ status, at }: Message, waits: boolean) {
  if (status === 'open' && !waits) return <RunningTime since={at} />
  return (
    <time class="quiet" dateTime={at} title={moment(at)}>
      {clock(at)}
    </time>
  )
}

function markOf(m: Message, waits: boolean, started: boolean): State {
  if (waits) return 'waiting'
  return started ? 'running' : MARK[m.status]
}

/** What became of a call that was cut off; "" for any other call. */
function cutOffText({ status }: Message, neverRan: boolean): string {
  if (status !== 'interrupted') return ''
  return neverRan ? words.conversation.tool.neverRan : words.conversation.tool.unknown
}

function statusText(m: Message, waits: boolean, started: boolean, neverRan: boolean): string {
  const { status, refused, waiting, asks, notRun, started: begun } = words.conversation.tool
  if (neverRan) return notRun
  if (waits) return questionsIn(m.tool?.input).length > 0 ? asks : waiting
  if (started) return begun
  return m.tool?.refused ? refused : status[m.status]
}

/**
 * Returns the text that says why a tool call shows no output. files: the files of the call that git ignores, as far as
 * the row names them.
 */
function noOutput(m: Message, waits: boolean, files: readonly string[]): string {
  const { status, waiting, ignored, noOutput } = words.conversation.tool
  if (m.status === 'open') return waits ? waiting : status.open
  return m.tool?.withheld ? ignored(files) : noOutput
}
