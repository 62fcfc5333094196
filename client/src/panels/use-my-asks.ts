// The roles in which the person at this page is asked, and the one in which they answer.
import { useState } from 'preact/hooks'
import type { Ask } from '../net/protocol.gen'
import { myAsks } from '../state/select'
import { useApp } from './context'
import { useSelect } from './use-select'

export interface MyAsks {
  mine: readonly Ask[]
  /** The question that the prompt answers; null if the person is not asked. */
  ask: Ask | null
  /** Chooses another role. */
  answerAs: (roleId: string) => void
}

export function useMyAsks(): MyAsks {
  const app = useApp()
  const [roleId, answerAs] = useState<string | null>(null)
  const asks = useSelect(() => myAsks(app.model), [app])
  // A pending answer counts as given.
  const given = app.pending.value.flatMap((p) =>
    p.frame.type === 'chat.send' && p.status !== 'refused' ? [p.frame] : [],
  )
  const mine = asks.filter((a) => !given.some((f) => f.memberId === undefined || f.memberId === a.memberId))
  return { mine, ask: mine.find((a) => a.roleId === roleId) ?? mine[0] ?? null, answerAs }
}
