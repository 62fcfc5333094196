// Beginning a council, or a task for one agent: who, about what, and for how many turns. What is written stays until
// it has begun.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { byteLength } from '../../net/frames'
import { useApp } from '../../panels/context'
import { AgentPick, MembersPick, StartFoot } from '../../panels/talk/start-parts'
import { company } from '../../state/talks'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { councilWords } from './words'

const MAX_TASK = 16 << 10
const MAX_TURNS = 100
const DRAFT = 'talk.start'
const NAME = 'council'

export function TaskStart(props: StartProps) {
  const { agents } = company(useApp().model.value)
  const { draft, onDraft } = props
  const first = draft.chosen[0] ?? agents[0]?.id ?? ''
  return (
    <Form
      {...props}
      members={first ? [first] : []}
      needed={1}
      missing={words.chats.dialog.agentMissing}
      maxTurns={1}
      who={<AgentPick agents={agents} chosen={first} onPick={(id) => onDraft((now) => ({ ...now, chosen: [id] }))} />}
      note=""
    />
  )
}

export function CouncilStart(props: StartProps) {
  const { draft, onDraft, realm } = props
  const app = useApp()
  const me = app.model.value.me?.spectatorId ?? ''
  const { agents } = company(app.model.value)
  const off = realm.world.settings.agentChats === 'off' && draft.chosen.length > 1
  return (
    <Form
      {...props}
      members={[...draft.chosen, ...(draft.self && me ? [me] : [])]}
      needed={2}
      missing={words.chats.dialog.whoMissing}
      maxTurns={Math.max(1, Math.min(MAX_TURNS, draft.turns || 1))}
      who={<MembersPick agents={agents} me={me} draft={draft} onDraft={onDraft} />}
      turns={
        <label>
          <span>{words.chats.dialog.turns}</span>
          <input
            type="number"
            min={1}
            max={MAX_TURNS}
            data-testid="talk-turns"
            value={draft.turns}
            onInput={(e) => onDraft((now) => ({ ...now, turns: e.currentTarget.valueAsNumber || 0 }))}
          />
        </label>
      }
      note={off ? councilWords.off : ''}
    />
  )
}

interface FormProps extends StartProps {
  members: readonly string[]
  needed: number
  missing: string
  maxTurns: number
  who: ComponentChildren
  turns?: ComponentChildren
  note: string
}

function Form({ realm, draft, choice, onBegun, onDone, members, needed, missing, maxTurns, ...parts }: FormProps) {
  const app = useApp()
  const w = words.chats.dialog
  const [task, setTask] = useState(() => app.drafts.get(DRAFT))
  const [problem, setProblem] = useState('')
  const [sent, setSent] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  useEffect(() => {
    if (sent === '' || pending !== undefined) return
    app.drafts.set(DRAFT, '')
    onBegun()
  }, [sent, pending])
  // Another choice of members answers what was said of the last one.
  useEffect(() => setProblem(''), [draft.chosen])
  const start = () => {
    const said = task.trim()
    if (members.length < needed) return setProblem(missing)
    if (said === '') return setProblem(w.taskMissing)
    if (byteLength(said) > MAX_TASK) return setProblem(w.tooLarge)
    app.talks.clearRefusedStarts()
    setProblem('')
    const { templateId } = company(app.model.value)
    const result = app.talks.start({ kind: NAME, templateId, memberIds: [...members], taskPrompt: said, maxTurns })
    if (result.ok) setSent(result.requestId)
    else setProblem(result.why === 'too_large' ? w.tooLarge : words.prompt.tooMany)
  }
  const write = (text: string) => {
    setTask(text)
    app.drafts.set(DRAFT, text)
    setProblem('')
  }
  return (
    <form
      class="fields"
      onSubmit={(e) => {
        e.preventDefault()
        start()
      }}
    >
      {choice}
      {parts.who}
      <TaskField text={task} onText={write} />
      {parts.turns}
      {parts.note ? <p class="quiet">{parts.note}</p> : <Full realm={realm} />}
      <StartFoot problem={problem} busy={pending !== undefined && pending.status !== 'refused'} onDone={onDone} />
    </form>
  )
}

function TaskField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const w = words.chats.dialog
  return (
    <label>
      <span>{w.task_}</span>
      <textarea
        data-testid="talk-task"
        data-first
        rows={4}
        value={text}
        placeholder={w.taskHint}
        onInput={(e) => onText(e.currentTarget.value)}
      />
    </label>
  )
}

/** As many run as may: this one will wait. */
function Full({ realm }: Pick<StartProps, 'realm'>) {
  const most = realm.world.settings.maxConcurrentConversations
  const running = Object.values(realm.views).filter((v) => v.kind === NAME && v.status === 'active').length
  return running >= most ? <p class="quiet">{councilWords.full(most)}</p> : null
}
