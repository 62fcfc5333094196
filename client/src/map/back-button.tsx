// The way to the room before.
import { words } from '../words'
import type { Standing } from './standing'

export function BackButton({ standing }: { standing: Standing }) {
  return (
    <button
      type="button"
      class="small"
      data-testid="map-back"
      disabled={!standing.canGoBack}
      onClick={() => standing.back()}
    >
      {words.map.back}
    </button>
  )
}
