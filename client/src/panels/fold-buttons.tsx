// The buttons under a folded text: show more, or fold it again.
import { words } from '../words'

interface Props {
  /** The length of the text, the length of the shown part, and the length of the folded text, in characters. */
  length: number
  shown: number
  limit: number
  /** How many more characters one click shows. */
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
