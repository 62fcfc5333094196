// The text box for messages to a coding agent, below its session. What is typed survives a reload.
import { useRef, useState } from 'preact/hooks'
import { isHeld } from '../state/roster'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { useArrival } from './use-arrival'
import { useSelect } from './use-select'

export function TellForm({ id, name }: { id: string; name: string }) {
  const app = useApp()
  const field = useRef<HTMLInputElement>(null)
  const [text, draw] = useState(() => app.drafts.get(`tell.${id}`))
  const setText = (next: string) => {
    app.drafts.set(`tell.${id}`, next)
    draw(next)
  }
  useArrival(field)
  const held = useSelect(() => app.model.realm?.world.agents.some((a) => a.id === id && isHeld(a)) ?? false, [app, id])
  const sent = app.pending.value.findLast((p) => p.frame.type === 'agent:tell' && p.frame.agentId === id)
  const busy = sent !== undefined && sent.status !== 'refused'
  const say = (e: Event) => {
    e.preventDefault()
    if (busy || text.trim() === '') return
    if (sent) app.discard(sent.requestId)
    if (app.send({ type: 'agent:tell', agentId: id, text: text.trim() }).ok) setText('')
  }
  return (
    <form class="tell" data-testid="tell" onSubmit={say}>
      <label class="tell-field">
        <span class="meta">{tellWords.label(name)}</span>
        <input ref={field} type="text" value={text} maxLength={4000} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <button type="submit" class="small" disabled={busy || text.trim() === ''}>
        {tellWords.say}
      </button>
      {held && (
        <p class="quiet meta" data-testid="tell-held">
          {tellWords.held}
        </p>
      )}
      {sent?.status === 'refused' && (
        <p class="problem" role="alert">
          {tellWords.refused(sent.error?.message ?? '')}
        </p>
      )}
    </form>
  )
}
