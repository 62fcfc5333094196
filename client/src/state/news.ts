// What is new in conversations for the person at this page. Pure.
import type { Conversation } from '../net/protocol.gen'
import { isUnread, isLater } from './conversations'
import type { RealmModel } from './model'

type Seen = Readonly<Record<string, string>>

/** The key, which is no id, of the time of the last words to everybody that the person has seen. */
export const REMARKS = ':remarks'

/**
 * When somebody else last said something to everybody in the realm; "" if nobody did. Such words are no row of a
 * conversation: the transcript of the current process shows them. me: the id of the person at this page.
 */
export function lastRemark(r: Pick<RealmModel, 'notes'>, me: string | undefined): string {
  const note = r.notes.findLast(({ what }) => {
    if (what.kind !== 'event' || what.event.type !== 'spectator:command') return false
    return what.event.spectatorId !== me && !what.event.text.startsWith('/')
  })
  return note?.what.kind === 'event' ? (note.what.event.at ?? '') : ''
}

/** Whether the current process has words to everybody that the person at this page has not seen. */
export function hasRemark(r: RealmModel, seen: Seen, me: string | undefined): boolean {
  const at = lastRemark(r, me)
  return at !== '' && isLater(at, seen[REMARKS] ?? seen[''] ?? '')
}

/**
 * Whether a conversation has something new that a mark outside of it tells. The turns of the current process are seen
 * on the map and in the stage bar; of it, only the words to everybody count.
 */
export function hasNews(r: RealmModel, c: Conversation, seen: Seen, me: string | undefined): boolean {
  return c.conversationId === r.world.processState.conversationId ? hasRemark(r, seen, me) : isUnread(c, seen)
}
