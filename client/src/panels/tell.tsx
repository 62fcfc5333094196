// Messages of the owner to a coding agent in a terminal: the text box and the state of the newest messages, or the
// reason why the agent cannot receive messages; and the button that stops the agent.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { isGuest, isHost } from '../state/select'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { TalkTo } from './talk-to'
import { StopAgent } from './stop-agent'
import { Deaf } from './tell-deaf'
import { TellForm } from './tell-form'
import { ToldWords } from './tell-words'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  id: string
  name: string
  /**
   * Shown instead of the text box if this person cannot send messages to the agent: to spectators, for sub-agents, and
   * for members without a session.
   */
  otherwise?: ComponentChildren
  /**
   * Whether the component is on a card. A card has no text box, only a button that leads to the one below the
   * session.
   */
  card?: boolean
}

export function Tell({ realm, id, name, otherwise = null, card = false }: Props) {
  const app = useApp()
  const session = usePart(() => realm.world.sessions?.findLast((s) => s.agentId === id), [realm, id])
  const mute = !session || session.parent !== undefined || !isHost(app.model)
  const deaf = !session?.hears
  useEffect(() => {
    if (!mute && deaf) app.send({ type: 'session:list' })
  }, [app, mute, deaf, id])
  const box = (() => {
    if (mute) return otherwise
    if (deaf) return <Deaf realm={realm} id={id} program={session.program} />
    if (isGuest(app.model)) return <p class="quiet meta">{tellWords.guest}</p>
    return card ? <TalkTo realm={realm} id={id} name={name} /> : <TellForm key={id} id={id} name={name} />
  })()
  return (
    <>
      <div class="tell-line">
        {box}
        {session && <StopAgent realm={realm} session={session} />}
      </div>
      {!mute && <ToldWords realm={realm} session={session} />}
    </>
  )
}
