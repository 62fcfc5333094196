// The dialog that begins a conversation: a task for one agent, a council that takes
// turns, or a chat. What is written stays until it has begun.
import { useEffect, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { company } from '../../state/talks'
import type { StartAsk } from '../../talks'
import { byteLength } from '../../net/frames'
import { words } from '../../words'
import { useApp } from '../context'
import { Dialog } from '../dialog'
import { Shield } from '../marks'
import { Refusals } from '../refusals'
import { TeamPick } from './team-pick'

const MAX_TASK = 16 << 10
const MAX_TURNS = 100

export function StartTalk({ realm, ask }: { realm: RealmModel; ask: StartAsk }) {
  const app = useApp()
  const w = words.chats.dialog
  const { agents, templateId } = company(app.model.value)
  const me = app.model.value.me?.spectatorId ?? ''
  const { settings } = realm.world
  const [kind, setKind] = useState(ask.kind)
  const [chosen, setChosen] = useState<readonly string[]>(ask.memberIds.filter((id) => agents.some((a) => a.id === id)))
  const [self, setSelf] = useState(false)
  const [task, setTask] = useState(() => app.drafts.get('talk.start'))
  const [turns, setTurns] = useState(settings.taskMaxTurns)
  const [problem, setProblem] = useState('')
  const [sent, setSent] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  const close = () => (app.talks.starting.value = null)
  const begun = () => {
    close()
    app.talks.entering.value = true
  }
  useEffect(() => {
    if (sent === '' || pending !== undefined) return
    app.drafts.set('talk.start', '')
    begun()
  }, [sent, pending])
  const one = kind !== 'council'
  const first = chosen[0] ?? agents[0]?.id ?? ''
  const members = one ? (first ? [first] : []) : [...chosen, ...(self && me ? [me] : [])]
  const running = Object.values(realm.views).filter((v) => v.kind === 'council' && v.status === 'active').length
  const off = kind === 'council' && settings.agentChats === 'off' && chosen.length > 1

  const start = () => {
    const said = task.trim()
    if (members.length < (one ? 1 : 2)) return setProblem(one ? w.agentMissing : w.whoMissing)
    if (kind !== 'chat' && said === '') return setProblem(w.taskMissing)
    if (byteLength(said) > MAX_TASK) return setProblem(w.tooLarge)
    for (const p of app.pending.value)
      if (p.frame.type === 'conversation.start' && p.status === 'refused') app.discard(p.requestId)
    setProblem('')
    if (kind === 'chat') {
      app.talks.talkTo(first)
      begun()
      return
    }
    const result = app.talks.start({
      kind: 'council',
      templateId,
      memberIds: members,
      taskPrompt: said,
      maxTurns: kind === 'task' ? 1 : Math.max(1, Math.min(MAX_TURNS, turns || 1)),
    })
    if (result.ok) setSent(result.requestId)
    else setProblem(result.why === 'too_large' ? w.tooLarge : words.prompt.tooMany)
  }
  const toggle = (id: string) => {
    setChosen((now) => (now.includes(id) ? now.filter((x) => x !== id) : [...now, id]))
    setProblem('')
  }
  const kinds = (
    <label>
      <span>{w.kind}</span>
      <select data-testid="talk-kind" value={kind} onChange={(e) => setKind(e.currentTarget.value as StartAsk['kind'])}>
        {Object.entries(w.kinds).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  if (kind === 'party' || kind === 'forge' || agents.length === 0) {
    return (
      <Dialog title={w[kind]} onClose={close} testid="talk-start">
        <div class="fields">
          {kinds}
          {kind === 'party' ? (
            <TeamPick realm={realm} onBegun={begun} onDone={close} />
          ) : kind === 'forge' ? (
            <ForgeStart onBegun={begun} onDone={close} />
          ) : (
            <p>{w.nobody}</p>
          )}
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={w[kind]} onClose={close} testid="talk-start">
      <form
        class="fields"
        onSubmit={(e) => {
          e.preventDefault()
          start()
        }}
      >
        {kinds}
        {one ? (
          <label>
            <span>{w.agent}</span>
            <select data-testid="talk-agent" value={first} onChange={(e) => setChosen([e.currentTarget.value])}>
              {agents.map((a) => (
                <option key={a.id} value={a.id}>
                  {a.name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <fieldset class="who-takes-part">
            <legend>{w.who}</legend>
            {agents.map((a) => (
              <label key={a.id} class="pick">
                <input
                  type="checkbox"
                  data-testid={`talk-member-${a.id}`}
                  checked={chosen.includes(a.id)}
                  onChange={() => toggle(a.id)}
                />
                <Shield id={a.id} name={a.name} color={a.color} />
                <span>{a.name}</span>
              </label>
            ))}
            {me !== '' && (
              <label class="pick">
                <input type="checkbox" data-testid="talk-member-self" checked={self} onChange={() => setSelf(!self)} />
                <span>{w.you}</span>
              </label>
            )}
          </fieldset>
        )}
        {kind !== 'chat' && (
          <label>
            <span>{w.task_}</span>
            <textarea
              data-testid="talk-task"
              data-first
              rows={4}
              value={task}
              placeholder={w.taskHint}
              onInput={(e) => {
                setTask(e.currentTarget.value)
                app.drafts.set('talk.start', e.currentTarget.value)
                setProblem('')
              }}
            />
          </label>
        )}
        {kind === 'council' && (
          <label>
            <span>{w.turns}</span>
            <input
              type="number"
              min={1}
              max={MAX_TURNS}
              data-testid="talk-turns"
              value={turns}
              onInput={(e) => setTurns(e.currentTarget.valueAsNumber || 0)}
            />
          </label>
        )}
        {off && <p class="quiet">{w.off}</p>}
        {kind !== 'chat' && !off && running >= settings.maxConcurrentConversations && (
          <p class="quiet">{w.full(settings.maxConcurrentConversations)}</p>
        )}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Refusals only={['conversation.start']} />
        <div class="buttons">
          <button
            type="submit"
            class="primary"
            data-testid="talk-start-go"
            disabled={pending !== undefined && pending.status !== 'refused'}
          >
            {pending && pending.status !== 'refused' ? w.starting : w.start}
          </button>
          <button type="button" onClick={close}>
            {words.chats.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** A skill begins with the smith's first question: nothing has to be said before. */
function ForgeStart({ onBegun, onDone }: { onBegun: () => void; onDone: () => void }) {
  const app = useApp()
  const w = words.forge
  const [sent, setSent] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  const busy = pending !== undefined && pending.status !== 'refused'
  useEffect(() => {
    if (sent !== '' && pending === undefined) onBegun()
  }, [sent, pending])
  const begin = () => {
    for (const p of app.pending.value)
      if (p.frame.type === 'conversation.start' && p.status === 'refused') app.discard(p.requestId)
    const result = app.talks.forge()
    if (result.ok) setSent(result.requestId)
  }
  return (
    <>
      <p class="quiet">{w.about}</p>
      <Refusals only={['conversation.start']} />
      <div class="buttons">
        <button type="button" class="primary" data-testid="forge-go" disabled={busy} onClick={begin}>
          {busy ? w.beginning : w.begin}
        </button>
        <button type="button" onClick={onDone}>
          {words.chats.cancel}
        </button>
      </div>
    </>
  )
}
