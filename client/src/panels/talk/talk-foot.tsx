// Under the rows of a transcript: who is at work, what came to nothing, how it ended, and the place to write.
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { useApp } from '../context'
import { Refusals } from '../refusals'
import { Composer } from './composer'
import { Overtaken } from './overtaken'
import { Retry } from './retry'
import { Thinking } from './thinking'

export function TalkFoot({ view, realm }: InView) {
  const app = useApp()
  const kind = kindOf(view)
  const id = view.conversationId
  const over = kind.overLine(view)
  return (
    <>
      {kind.Work && <kind.Work view={view} realm={realm} />}
      {kind.saysWork(view) && <Thinking view={view} realm={realm} />}
      <Retry view={view} />
      <Overtaken realm={realm} id={id} />
      <Refusals of={id} />
      {kind.After && <kind.After view={view} realm={realm} />}
      {over && <p class="talk-over-line quiet">{over}</p>}
      {app.host.value && kind.speaks({ view, realm }) && <Composer key={id} view={view} realm={realm} />}
    </>
  )
}
