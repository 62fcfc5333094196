// Who said how much in a session. Pure.
import type { ConversationView } from '../../net/protocol.gen'
import { count } from '../../words'
import { memberOf } from '../../state/talks'
import { missingIn } from './state'
import { partyWords } from './words'

/** A long list of who said how much is cut. */
const MOST_SPEAKERS = 6

/** Who said how much, most first, by the names of now or of then. */
export function byWhom(view: ConversationView, by: Readonly<Record<string, number>>): string {
  const gone = missingIn(view)
  const parts = Object.entries(by)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_SPEAKERS)
    .map(([id, n]) => `${memberOf(view, id)?.displayName || gone.find((x) => x.id === id)?.name || id} ${count(n)}`)
  return parts.length === 0 ? '' : partyWords.byWhom(parts)
}
