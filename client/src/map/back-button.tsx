// The button that returns to the previous room.
import { words } from '../words'
import type { Navigation } from './navigation'

export function BackButton({ navigation }: { navigation: Navigation }) {
  return (
    <button
      type="button"
      class="small"
      data-testid="map-back"
      disabled={!navigation.canGoBack}
      onClick={() => navigation.back()}
    >
      {words.map.back}
    </button>
  )
}
