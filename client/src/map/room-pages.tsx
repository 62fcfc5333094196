// The page buttons of a room.
import type { MapChange } from '../net/protocol.gen'
import { words } from '../words'

export function RoomPages({ change, onPage }: { change: MapChange; onPage: (page: number) => void }) {
  return (
    <nav class="pages">
      <button type="button" class="small" disabled={change.page === 0} onClick={() => onPage(change.page - 1)}>
        {words.map.previous}
      </button>
      <span class="quiet">{words.map.page(change.page + 1, change.pages)}</span>
      <button
        type="button"
        class="small"
        disabled={change.page + 1 >= change.pages}
        onClick={() => onPage(change.page + 1)}
      >
        {words.map.next}
      </button>
    </nav>
  )
}
