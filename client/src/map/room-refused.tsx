// Why the server did not send the room, with a button back to the country.
import type { Pending } from '../net/outbox'
import { useApp } from '../panels/context'
import { words } from '../words'
import { deadRoomText } from './dead-room-text'

export function RoomRefused({ refused, onLeave }: { refused: Pending; onLeave: () => void }) {
  const app = useApp()
  return (
    <div class="map-card" role="alert">
      <p>{deadRoomText(refused)}</p>
      <button
        type="button"
        class="small"
        onClick={() => {
          app.discard(refused.requestId)
          onLeave()
        }}
      >
        {words.map.country}
      </button>
    </div>
  )
}
