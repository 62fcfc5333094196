// Folds the events about permission questions of coding agents (doors) into the page's world. Mirrors Apply of
// shared/world. Pure.
import type { AgentDoor, DoorClosed, Message, World } from '../net/protocol.gen'
import { doorDetails } from './door-details'

/** The maximum number of answered questions that are kept; the oldest are dropped. */
const MAX_CLOSED = 16

/** Whether the question still waits for an answer. */
export function isOpen(d: AgentDoor): boolean {
  return !d.outcome
}

/**
 * Whether the tool call of an open row waits for a person's permission or answer: its agent does, and the question, or
 * else the agent's state, names this call. Of several calls of one tool without a question, none is known to wait.
 */
export function awaitsPermission(w: World, m: Message, rows: readonly Message[]): boolean {
  const state = w.agents.find((a) => a.id === m.memberId)?.state
  if (m.status !== 'open' || !m.tool || (state?.wait !== 'permission' && state?.wait !== 'question')) return false
  const { name, input } = m.tool
  const asked = w.doors?.filter((d) => d.agentId === m.memberId && isOpen(d)) ?? []
  if (asked.length > 0) return asked.some((d) => asksFor(d, name, input))
  if (state.reason !== name && !state.reason?.startsWith(`${name}: `)) return false
  return rows.filter((r) => r.status === 'open' && r.tool?.name === name).length === 1
}

/** Whether the tool call of a row never ran: it waited for a person's answer when the session of its agent ended. */
export function neverRan(w: World, m: Message): boolean {
  const { tool } = m
  if (m.status !== 'interrupted' || !tool) return false
  const own = w.doors?.filter((d) => d.agentId === m.memberId && d.outcome === 'ended') ?? []
  return own.some((d) => asksFor(d, tool.name, tool.input))
}

/**
 * Whether a question is about a call of a tool. Hooks of Codex have other names for its tools than its record, so two
 * calls with the same command line are the same. Mirrors asksFor of server/coding.
 */
function asksFor({ tool, detail = '' }: AgentDoor, name: string, input: string): boolean {
  const { command } = doorDetails(detail)
  return command ? command === doorDetails(input).command : tool === name && sameInput(detail, input)
}

/**
 * Whether two inputs of a tool can be of one call. A hook reports members with default values, which the transcript
 * does not have. Mirrors SameInput of server/shadow.
 */
function sameInput(a: string, b: string): boolean {
  if (a === b) return true
  const [x, y] = [fieldsOf(a), fieldsOf(b)]
  const both = Object.keys(x).filter((name) => name in y)
  const fewer = Math.min(Object.keys(x).length, Object.keys(y).length)
  return both.length > 0 && both.length === fewer && both.every((name) => text(x[name]) === text(y[name]))
}

function fieldsOf(input: string): Record<string, unknown> {
  try {
    return JSON.parse(input) as Record<string, unknown>
  } catch {
    return {} // the server has cut the JSON off
  }
}

/** A value as text in which the order of members does not count. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    typeof v === 'object' && v !== null && !Array.isArray(v) ? Object.entries(v).sort() : v,
  )
}

/** Adds a question of a coding agent (a door), or replaces the question with the same id. */
export function openDoor(w: World, door: AgentDoor): World {
  const doors = w.doors ?? []
  const i = doors.findIndex((d) => d.doorId === door.doorId)
  return { ...w, doors: i < 0 ? [...doors, door] : doors.with(i, door) }
}

/** Sets the outcome of a question, and drops the oldest answered questions beyond MAX_CLOSED. */
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

/** Removes the name of an erased person from the questions that this person answered. */
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

/** Removes the questions of agents whose conversations were erased. */
export function eraseDoors(w: World, conversations: ReadonlySet<string>): World {
  if (!w.doors?.some((d) => conversations.has(d.conversationId))) return w
  return withDoors(
    w,
    w.doors.filter((d) => !conversations.has(d.conversationId)),
  )
}

/** Replaces the list of questions. An empty list is left out of the world, as on the wire. */
function withDoors(w: World, doors: AgentDoor[]): World {
  const { doors: _, ...rest } = w
  return doors.length > 0 ? { ...rest, doors } : rest
}
