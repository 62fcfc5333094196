// The buttons under a folded text: show more, or fold it again.
import { words } from '../words'

interface Props {
  /** The text's length, the length shown, and the length while folded, in characters. */
  length: number
  shown: number
  limit: number
  /** How much one click adds. */
  more: number
  show: (length: number) => void
}

export function FoldButtons({ length, shown, limit, more, show }: Props) {
  const rest = length - shown
  return (
    <>
      {rest > 0 && (
        <button type="button" class="link" onClick={() => show(shown + more)}>
          {rest > more ? words.transcript.part : words.transcript.all(length)}
        </button>
      )}
      {shown > limit && (
        <button type="button" class="link" onClick={() => show(limit)}>
          {words.transcript.fold}
        </button>
      )}
    </>
  )
}
