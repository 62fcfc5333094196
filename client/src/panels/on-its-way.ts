// What is said of a command that the server has not answered. Pure.
import type { Pending } from '../net/outbox'
import { words } from '../words'

/** Held commands say why the server could not take them. */
export function onItsWay(p: Pending): string {
  if (p.status === 'sent') return words.talk.sent
  return p.status === 'held' ? (p.error?.message ?? words.talk.held) : words.talk.waiting
}
