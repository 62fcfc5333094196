// The turns of the person at this page, and which of them a text in the page's text box answers.
import { useState } from 'preact/hooks'
import type { Ask } from '../net/protocol.gen'
import { myAsks } from '../state/select'
import { useApp } from './context'
import { useSelect } from './use-select'

export interface MyAsks {
  mine: readonly Ask[]
  /** The turn that a text in the page's text box answers; null if the person has no turn. */
  ask: Ask | null
  /** Makes `ask` the turn of this role. */
  answerAs: (roleId: string) => void
}

export function useMyAsks(): MyAsks {
  const app = useApp()
  const [roleId, answerAs] = useState<string | null>(null)
  const asks = useSelect(() => myAsks(app.model), [app])
  // Leave out turns whose answer was sent but is not confirmed by the server yet.
  const given = app.pending.value.flatMap((p) =>
    p.frame.type === 'chat.send' && p.status !== 'refused' ? [p.frame] : [],
  )
  const answers = (f: (typeof given)[number], a: Ask): boolean =>
    f.conversationId === a.conversationId && (f.memberId === undefined || f.memberId === a.memberId)
  const mine = asks.filter((a) => !given.some((f) => answers(f, a)))
  return { mine, ask: mine.find((a) => a.roleId === roleId) ?? mine[0] ?? null, answerAs }
}
