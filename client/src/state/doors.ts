// How the questions of coding agents change the page's world. Mirrors Apply of shared/world. Pure.
import type { AgentDoor, DoorClosed, World } from '../net/protocol.gen'

/** The maximum number of closed doors that are kept; the oldest are dropped. */
const MAX_CLOSED = 16

/** Whether nobody has answered yet. */
export function isOpen(d: AgentDoor): boolean {
  return !d.outcome
}

/** Adds a door, or replaces the one with the same id. */
export function openDoor(w: World, door: AgentDoor): World {
  const doors = w.doors ?? []
  const i = doors.findIndex((d) => d.doorId === door.doorId)
  return { ...w, doors: i < 0 ? [...doors, door] : doors.with(i, door) }
}

/** Sets the outcome of a door, and drops the oldest closed doors beyond MAX_CLOSED. */
export function closeDoor(w: World, { doorId, outcome, by, name }: DoorClosed): World {
  if (!w.doors?.some((d) => d.doorId === doorId)) return w
  const doors = w.doors.map((d) => {
    if (d.doorId !== doorId) return d
    const { by: _, name: __, ...rest } = d
    return { ...rest, outcome, ...(by ? { by } : {}), ...(name ? { name } : {}) }
  })
  let over = doors.filter((d) => !isOpen(d)).length - MAX_CLOSED
  return withDoors(
    w,
    doors.filter((d) => isOpen(d) || over-- <= 0),
  )
}

/** Removes the name of an erased person from the doors that this person answered. */
export function eraseDoorNames(w: World, person: string): World {
  if (!w.doors?.some((d) => d.by === person && d.name)) return w
  return withDoors(
    w,
    w.doors.map((d) => {
      if (d.by !== person) return d
      const { name: _, ...rest } = d
      return rest
    }),
  )
}

/** Removes the doors of erased conversations. */
export function eraseDoors(w: World, conversations: ReadonlySet<string>): World {
  if (!w.doors?.some((d) => conversations.has(d.conversationId))) return w
  return withDoors(
    w,
    w.doors.filter((d) => !conversations.has(d.conversationId)),
  )
}

/** A world without doors has no list, as on the wire. */
function withDoors(w: World, doors: AgentDoor[]): World {
  const { doors: _, ...rest } = w
  return doors.length > 0 ? { ...rest, doors } : rest
}
