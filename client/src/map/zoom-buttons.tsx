// The zoom buttons.
import { words } from '../words'

const BUTTONS = [
  { direction: 1, label: words.map.closer, sign: '+' },
  { direction: -1, label: words.map.further, sign: '−' },
] as const

interface Props {
  /** Called before a button moves the camera. */
  onTake: () => void
  onZoom: (direction: 1 | -1) => void
}

export function ZoomButtons({ onTake, onZoom }: Props) {
  return (
    <div class="drawn-tools">
      {BUTTONS.map(({ direction, label, sign }) => (
        <button
          key={direction}
          type="button"
          class="small"
          aria-label={label}
          title={label}
          onClick={() => {
            onTake()
            onZoom(direction)
          }}
        >
          {sign}
        </button>
      ))}
    </div>
  )
}
