// The status of a pending command as text. Pure.
import type { Pending } from '../net/outbox'
import { words } from '../words'

/** The text for a pending command. For a held command it is the reason why the server could not take it. */
export function pendingText(p: Pending): string {
  if (p.status === 'sent') return words.transcript.sent
  return p.status === 'held' ? (p.error?.message ?? words.transcript.held) : words.transcript.waiting
}
