// What a kind read out of the words of a row.
import type { RowLook } from '../../kinds/kind'

export function Chips({ chips }: Pick<RowLook, 'chips'>) {
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
