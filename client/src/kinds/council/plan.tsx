// Asks the server for the next member of a council in which no run is in progress. No event names the next member
// before the turn begins. So the page requests the conversation's view without rows, once after each change of the
// council.
import { useEffect } from 'preact/hooks'
import { useApp } from '../../panels/context'
import type { ConversationProps } from '../kind'

export function AskPlan({ view }: ConversationProps) {
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
