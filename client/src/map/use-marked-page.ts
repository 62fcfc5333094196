// Turns the pages of a room until the one is shown that has the marked file.
import { useEffect } from 'preact/hooks'
import type { MapChange } from '../net/protocol.gen'
import { parent } from './path'

/**
 * room: the shown page of the room; undefined until it is loaded. marked: the path of the file; '' for none. The
 * hook turns pages only forwards: if the file no longer exists, the last page is shown.
 */
export function useMarkedPage(room: MapChange | undefined, marked: string, turn: (page: number) => void): void {
  const next = room && marked !== '' && parent(marked) === room.path && !has(room, marked) ? room.page + 1 : 0
  const more = next > 0 && room !== undefined && next < room.pages
  useEffect(() => {
    if (more) turn(next)
  }, [more, next, turn])
}

function has(change: MapChange, path: string): boolean {
  return change.room.objects?.some((o) => o.path === path) ?? false
}
