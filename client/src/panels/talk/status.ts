// The word for how a conversation stands. One that was left can mean different things:
// a party's session can be resumed, a forge is taken up by a message.
import type { Conversation } from '../../net/protocol.gen'
import { sortOf } from '../../state/talks'
import { words } from '../../words'

export function statusWord(c: Conversation): string {
  const sort = sortOf(c)
  if (c.status === 'abandoned' && (sort === 'party' || sort === 'forge')) return sort === 'party' ? words.party.ended : words.forge.left
  return words.chats.status[c.status]
}
