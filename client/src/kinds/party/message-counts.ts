// How many messages each speaker has in a session, as text. Pure.
import type { ConversationView } from '../../net/protocol.gen'
import { count, join } from '../../words'
import { memberOf } from '../../state/conversations'
import { missingMembers } from './state'

/** The maximum number of speakers that the text names. Further speakers are left out. */
const MAX_SPEAKERS = 6

/**
 * The numbers of messages of the MAX_SPEAKERS speakers with the most messages, as text. For a speaker who left the
 * team, the text has the last known name.
 */
export function countsText(view: ConversationView, by: Readonly<Record<string, number>>): string {
  const gone = missingMembers(view)
  const parts = Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_SPEAKERS)
    .map(([id, n]) => `${memberOf(view, id)?.displayName || gone.find((x) => x.id === id)?.name || id} ${count(n)}`)
  return join(parts)
}
