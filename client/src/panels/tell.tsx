// The form by which the owner sends words to a coding agent in a terminal, with the state of the newest words; or why
// the agent cannot hear.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { Deaf } from './tell-deaf'
import { ToldWords } from './tell-words'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  id: string
  name: string
  /** What is shown where nobody can say a word here: to spectators, and of sub-agents. */
  otherwise?: ComponentChildren
}

export function Tell({ realm, id, name, otherwise = null }: Props) {
  const app = useApp()
  const session = usePart(() => realm.world.sessions?.findLast((s) => s.agentId === id), [realm, id])
  const [text, setText] = useState('')
  const mute = !session || session.parent !== undefined || app.model.me?.role !== 'host'
  const deaf = !session?.hears
  useEffect(() => {
    if (!mute && deaf) app.send({ type: 'session:list' })
  }, [app, mute, deaf, id])
  if (mute) return <>{otherwise}</>
  if (deaf)
    return (
      <>
        <Deaf realm={realm} id={id} program={session.program} />
        <ToldWords session={session} />
      </>
    )
  if (app.model.me?.guest) return <p class="quiet meta">{tellWords.guest}</p>
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
        <input type="text" value={text} maxLength={4000} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <button type="submit" class="small" disabled={busy || text.trim() === ''}>
        {tellWords.say}
      </button>
      {sent?.status === 'refused' && (
        <p class="problem" role="alert">
          {tellWords.refused(sent.error?.message ?? '')}
        </p>
      )}
      <ToldWords session={session} />
    </form>
  )
}
