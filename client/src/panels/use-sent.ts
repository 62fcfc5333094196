// Tells whether a command that a dialog has sent is pending, refused or answered.
import { useEffect, useState } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import { useApp } from './context'
import { useLatest } from './use-latest'

interface Sent {
  /** The command while it is pending or refused; undefined after its answer. */
  pending: Pending | undefined
  /** Whether the command is pending and not refused. */
  busy: boolean
  /** Makes the command with this requestId the one that pending and busy are about. */
  follow: (requestId: string) => void
}

/** done: called when the command has been answered. */
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
