// Folds the events about files that coding agents read and edited (touches) and about collisions of agents into the
// page's world. Mirrors Apply of shared/world. Pure.
import type { Collision, FileTouch, World } from '../net/protocol.gen'

/**
 * MAX_TOUCHES: the maximum number of stored runs of touches. MAX_TOUCHES_OF_FILE: the maximum for one file. The
 * oldest runs are dropped.
 */
const MAX_TOUCHES = 500
const MAX_TOUCHES_OF_FILE = 20

/** Adds runs of touches (consecutive reads and edits of a file by one agent) to the timelines of their files. */
export function touchFiles(w: World, touches: readonly FileTouch[]): World {
  const all = [...(w.touches ?? [])]
  for (const t of touches) touch(all, t)
  return withTouches(w, all)
}

/**
 * Adds a run to all, which is ordered by `last`. If the same agent was the last one to touch the file, in the same
 * worktree, the run is joined to that agent's run.
 */
function touch(all: FileTouch[], run: FileTouch): void {
  const ofFile = all.flatMap((t, i) => (t.path === run.path ? [i] : []))
  const lastAt = ofFile.at(-1) ?? -1
  const was = all[lastAt]
  let next = run
  let drop = all.length >= MAX_TOUCHES ? 0 : -1
  if (was && was.agentId === run.agentId && was.worktree === run.worktree) {
    drop = lastAt
    next = joined(was, run)
  } else if (ofFile.length >= MAX_TOUCHES_OF_FILE) {
    drop = ofFile[0] ?? -1
  }
  if (drop >= 0) all.splice(drop, 1)
  let at = all.length
  while (at > 0 && time(all[at - 1]?.last) > time(next.last)) at--
  all.splice(at, 0, next)
}

/** Joins a run and a later run of the same agent. */
function joined(was: FileTouch, run: FileTouch): FileTouch {
  const reads = (was.reads ?? 0) + (run.reads ?? 0)
  const edits = (was.edits ?? 0) + (run.edits ?? 0)
  const { reads: _, edits: __, ...rest } = run
  return {
    ...rest,
    ...(reads > 0 ? { reads } : {}),
    ...(edits > 0 ? { edits } : {}),
    since: time(was.since) < time(run.since) ? was.since : run.since,
    last: time(was.last) > time(run.last) ? was.last : run.last,
    edited: time(was.edited) > time(run.edited) ? was.edited : run.edited,
  }
}

/** A time as the wire has it, "" for none. Times have one form, so they can be compared as texts. */
function time(at: string | null | undefined): string {
  return at ?? ''
}

/**
 * The name of the other worktree in which an agent has read or edited a file last; "" for the linked folder. The file
 * has one path in all worktrees.
 */
export function worktreeOf({ touches }: World, agentId: string, path: string): string {
  return touches?.findLast((t) => t.agentId === agentId && t.path === path)?.worktree ?? ''
}

/** Removes the touches of sessions whose conversations were erased. */
export function eraseTouches(w: World, conversations: ReadonlySet<string>): World {
  if (!w.touches?.some((t) => conversations.has(t.conversationId))) return w
  return withTouches(
    w,
    w.touches.filter((t) => !conversations.has(t.conversationId)),
  )
}

/** Adds a collision, or replaces the one at the same path. */
export function putCollision(w: World, found: Collision): World {
  const all = w.collisions ?? []
  const i = all.findIndex((c) => c.path === found.path)
  return { ...w, collisions: i < 0 ? [...all, found] : all.with(i, found) }
}

/** Removes the collision at a path. */
export function clearCollision(w: World, path: string): World {
  const { collisions = [], ...rest } = w
  const left = collisions.filter((c) => c.path !== path)
  return left.length > 0 ? { ...rest, collisions: left } : rest
}

/** Replaces the list of touches. An empty list is left out of the world, as on the wire. */
function withTouches(w: World, touches: FileTouch[]): World {
  const { touches: _, ...rest } = w
  return touches.length > 0 ? { ...rest, touches } : rest
}
