// The buttons under a folded text: show more of it, or fold it again.
import { words } from '../words'

interface Props {
  /** The text's length, how much of it is shown, and how much while it is folded, in characters. */
  length: number
  shown: number
  limit: number
  /** How much one more request shows. */
  more: number
  show: (length: number) => void
}

export function FoldButtons({ length, shown, limit, more, show }: Props) {
  const rest = length - shown
  return (
    <>
      {rest > 0 && (
        <button type="button" class="link" onClick={() => show(shown + more)}>
          {rest > more ? words.talk.part : words.talk.all(length)}
        </button>
      )}
      {shown > limit && (
        <button type="button" class="link" onClick={() => show(limit)}>
          {words.talk.fold}
        </button>
      )}
    </>
  )
}
