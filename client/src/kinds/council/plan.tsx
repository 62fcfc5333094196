// Who is next in a council that rests: the server decides it, and no event tells it before the turn begins. So the
// page asks for the conversation's view, without rows, once for each state of it.
import { useEffect } from 'preact/hooks'
import { useApp } from '../../panels/context'
import type { InView } from '../kind'

export function AskPlan({ view }: InView) {
  const app = useApp()
  const { conversationId, lastSeq, status, plan } = view
  const rests = status === 'queued' || status === 'paused' || status === 'interrupted'
  const unknown = rests && view.activeRuns.length === 0 && !plan.nextMemberId
  const live = app.live.value
  useEffect(() => {
    if (live && unknown) app.send({ type: 'conversation.open', conversationId, limit: 0 })
  }, [app, live, unknown, conversationId, lastSeq])
  return null
}
