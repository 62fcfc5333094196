// The zoom buttons.
import { words } from '../words'

const BUTTONS = [
  { direction: 1, label: words.map.closer, sign: '+' },
  { direction: -1, label: words.map.further, sign: '−' },
] as const

export function ZoomButtons({ onZoom }: { onZoom: (direction: 1 | -1) => void }) {
  return (
    <div class="drawn-tools">
      {BUTTONS.map(({ direction, label, sign }) => (
        <button
          key={direction}
          type="button"
          class="small"
          aria-label={label}
          title={label}
          onClick={() => onZoom(direction)}
        >
          {sign}
        </button>
      ))}
    </div>
  )
}
