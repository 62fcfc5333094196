// A row without words to show: erased, lost, damaged, or nothing was said.
import type { Message } from '../../net/protocol.gen'
import { words } from '../../words'
import type { Author } from './author'

export function BubbleEmpty({ message: m, author: a }: { message: Message; author: Author }) {
  if (m.damaged && !a.erased) {
    return (
      <span class="note-bad" data-testid="damaged">
        {words.talk.damagedLost}
      </span>
    )
  }
  // A row of markers alone has its chips.
  const marked = m.content !== '' && m.status !== 'interrupted' && !a.erased
  const text = a.erased ? words.keep.wordsErased : m.status === 'interrupted' ? words.talk.lost : words.talk.nothing
  return <span class="quiet">{marked ? '' : text}</span>
}
