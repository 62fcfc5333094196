// The chips of a message. The kind of the conversation derives them from the message's text.
import type { RowDisplay } from '../../kinds/kind'

export function Chips({ chips }: Pick<RowDisplay, 'chips'>) {
  if (chips.length === 0) return null
  return (
    <p class="said-marks">
      {chips.map((chip, i) => (
        <span key={i} class={chip.wrap ? 'chip chip-wrap' : 'chip'}>
          {chip.text}
        </span>
      ))}
    </p>
  )
}
