// The text of a message without words to show: erased, lost, damaged or empty.
import type { Message } from '../../net/protocol.gen'
import { words } from '../../words'
import type { Author } from './author'

export function BubbleEmpty({ message: m, author: a }: { message: Message; author: Author }) {
  if (m.damaged && !a.erased) {
    return (
      <span class="note-bad" data-testid="damaged">
        {words.transcript.damagedLost}
      </span>
    )
  }
  // If a message has content but no text to show, its content is markers only, and the bubble shows them as chips.
  const marked = m.content !== '' && m.status !== 'interrupted' && !a.erased
  const text = a.erased
    ? words.erasure.wordsErased
    : m.status === 'interrupted'
      ? words.transcript.lost
      : words.transcript.nothing
  return <span class="quiet">{marked ? '' : text}</span>
}
