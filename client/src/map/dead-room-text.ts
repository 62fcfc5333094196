// Why a room cannot be shown: its folder does not exist, or a message of the server says it.
import type { Pending } from '../net/outbox'
import { words } from '../words'
import { deadLinkWords, sentence } from '../words-dead-links'

/** refused: the map:room command that was refused. */
export function deadRoomText(refused: Pending): string {
  return refused.error?.code === 'not_found' && refused.frame.type === 'map:room'
    ? deadLinkWords.folder(refused.frame.path)
    : `${words.map.failed} ${sentence(refused.error?.message ?? '')}`
}
