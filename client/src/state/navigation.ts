// The room of each person and hero, and the rooms to which each can go back. It mirrors NavigationState of
// shared/world. Pure.
import type { NavigationState } from '../net/protocol.gen'

/** Puts a person or a hero into the room with the path. stack: the rooms to which the person or hero can go back. */
export function enter(n: NavigationState, id: string, path: string, stack?: string[] | null): NavigationState {
  return {
    ...n,
    agentNavStacks: { ...n.agentNavStacks, [id]: stack ?? [] },
    agentCurrentPath: { ...n.agentCurrentPath, [id]: path },
  }
}

/** Removes a person or a hero and their rooms. */
export function leave(n: NavigationState, id: string): NavigationState {
  return { ...n, agentNavStacks: without(n.agentNavStacks, [id]), agentCurrentPath: without(n.agentCurrentPath, [id]) }
}

/** A record without some of its keys. */
export function without<T>(counts: Record<string, T>, keys: string[] | null): Record<string, T> {
  const gone = new Set(keys ?? [])
  return Object.fromEntries(Object.entries(counts).filter(([key]) => !gone.has(key)))
}
