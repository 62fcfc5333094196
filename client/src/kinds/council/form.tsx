// The common part of the forms for a task and a council. The text is kept as a draft until the conversation has
// started.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { byteLength } from '../../net/frames'
import { useApp } from '../../panels/context'
import { useSent } from '../../panels/use-sent'
import { StartFoot } from '../../panels/conversation/start-foot'
import { playedCast } from '../../state/conversations'
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
  onStarted,
  onDone,
  members,
  needed,
  missing,
  maxTurns,
  ...parts
}: FormProps) {
  const app = useApp()
  const w = words.conversation.dialog
  const [task, setTask] = useState(() => app.drafts.get(DRAFT))
  const [problem, setProblem] = useState('')
  const { busy, follow } = useSent(() => {
    app.drafts.set(DRAFT, '')
    onStarted()
  })
  // A problem with the members is outdated once other members are chosen.
  useEffect(() => setProblem(''), [draft.chosen])
  const start = () => {
    const said = task.trim()
    if (members.length < needed) return setProblem(missing)
    if (said === '') return setProblem(w.taskMissing)
    if (byteLength(said) > MAX_TASK) return setProblem(w.tooLarge)
    app.discardRefused('conversation.start')
    setProblem('')
    const { templateId } = playedCast(app.model)
    const result = app.conversations.start({
      kind: NAME,
      templateId,
      memberIds: [...members],
      taskPrompt: said,
      maxTurns,
    })
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
