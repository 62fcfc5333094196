// The chips of a message, which its kind derived from its text.
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
