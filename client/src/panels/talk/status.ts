// The word for how a conversation stands. One that was left can mean different things:
// a party's session can be resumed, a forge or a chat is taken up by a message.
import type { Conversation } from '../../net/protocol.gen'
import { sortOf } from '../../state/talks'
import { words } from '../../words'

export function statusWord(c: Conversation): string {
  const sort = sortOf(c)
  if (c.status !== 'abandoned') return words.chats.status[c.status]
  if (sort === 'party') return words.party.ended
  return sort === 'forge' || sort === 'chat' ? words.forge.left : words.chats.status.abandoned
}
