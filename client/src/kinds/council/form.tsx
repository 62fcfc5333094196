// What the forms of a task and of a council share. What is written stays until it has begun.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { byteLength } from '../../net/frames'
import { useApp } from '../../panels/context'
import { useSent } from '../../panels/use-sent'
import { StartFoot } from '../../panels/talk/start-foot'
import { company } from '../../state/talks'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { NAME } from './name'
import { TaskField } from './task-field'
import { Full } from './full'

const MAX_TASK = 16 << 10

const DRAFT = 'talk.start'

interface FormProps extends StartProps {
  members: readonly string[]
  needed: number
  missing: string
  maxTurns: number
  who: ComponentChildren
  turns?: ComponentChildren
  note: string
}

export function Form({
  realm,
  draft,
  choice,
  onBegun,
  onDone,
  members,
  needed,
  missing,
  maxTurns,
  ...parts
}: FormProps) {
  const app = useApp()
  const w = words.chats.dialog
  const [task, setTask] = useState(() => app.drafts.get(DRAFT))
  const [problem, setProblem] = useState('')
  const { busy, follow } = useSent(() => {
    app.drafts.set(DRAFT, '')
    onBegun()
  })
  // Another choice of members answers what was said of the last one.
  useEffect(() => setProblem(''), [draft.chosen])
  const start = () => {
    const said = task.trim()
    if (members.length < needed) return setProblem(missing)
    if (said === '') return setProblem(w.taskMissing)
    if (byteLength(said) > MAX_TASK) return setProblem(w.tooLarge)
    app.talks.clearRefusedStarts()
    setProblem('')
    const { templateId } = company(app.model)
    const result = app.talks.start({ kind: NAME, templateId, memberIds: [...members], taskPrompt: said, maxTurns })
    if (result.ok) follow(result.requestId)
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
      <StartFoot problem={problem} busy={busy} onDone={onDone} />
    </form>
  )
}
