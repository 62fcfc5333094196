// A command that a dialog sends and waits for.
import { useEffect, useState } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import { useApp } from './context'
import { useLatest } from './use-latest'

interface Sent {
  /** The command while it waits, or where it was refused. */
  pending: Pending | undefined
  /** It waits for its answer. */
  busy: boolean
  /** Waits for the command of that request. */
  follow: (requestId: string) => void
}

/** done: called once the command that is followed has been answered. */
export function useSent(done: () => void): Sent {
  const app = useApp()
  const [sent, follow] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  const answered = sent !== '' && pending === undefined
  const then = useLatest(done)
  useEffect(() => {
    if (answered) then.current()
  }, [answered, then])
  return { pending, busy: pending !== undefined && pending.status !== 'refused', follow }
}
