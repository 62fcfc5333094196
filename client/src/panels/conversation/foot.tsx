// Everything under the rows of a transcript: who is at work, retry, notices, the end, and the composer.
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { useApp } from '../context'
import { Refusals } from '../refusals'
import { Composer } from './composer'
import { Overtaken } from './overtaken'
import { Retry } from './retry'
import { Thinking } from './thinking'

export function ConversationFoot({ view, realm }: ConversationProps) {
  const app = useApp()
  const kind = kindOf(view)
  const id = view.conversationId
  const over = kind.endLine(view)
  return (
    <>
      {kind.Work && <kind.Work view={view} realm={realm} />}
      {kind.showsWork(view) && <Thinking view={view} realm={realm} />}
      <Retry view={view} />
      <Overtaken realm={realm} id={id} />
      <Refusals of={id} />
      {kind.RowsEnd && <kind.RowsEnd view={view} realm={realm} />}
      {over && <p class="conversation-over-line quiet">{over}</p>}
      {app.host.value && kind.canWrite({ view, realm }) && <Composer key={id} view={view} realm={realm} />}
    </>
  )
}
