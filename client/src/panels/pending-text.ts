// The status of a pending command as text. Pure.
import { needsName, type Pending } from '../net/outbox'
import { words } from '../words'

/**
 * The text for a pending command. For a held command it is the reason why the server could not take it. named: whether
 * the person at this page has a name.
 */
export function pendingText(p: Pending, named = true): string {
  if (!named && p.status === 'waiting' && needsName(p.frame)) return words.transcript.nameless
  if (p.status === 'sent') return words.transcript.sent
  return p.status === 'held' ? (p.error?.message ?? words.transcript.held) : words.transcript.waiting
}
