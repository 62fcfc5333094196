// The button that opens the legend of the map.
import { useApp } from '../panels/context'
import { legendWords as w } from '../words-legend'

export function LegendButton() {
  const app = useApp()
  return (
    <button
      type="button"
      class="ghost small legend-button"
      aria-haspopup="dialog"
      aria-label={w.title}
      title={w.openHint}
      data-testid="open-legend"
      onClick={() => (app.lookup.value = 'legend')}
    >
      <span class="legend-word">{w.open}</span>
      <span class="legend-sign" aria-hidden="true">
        ?
      </span>
    </button>
  )
}
