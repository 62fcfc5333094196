// The chips of a message: markers of the message's text, shown as labels.
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
