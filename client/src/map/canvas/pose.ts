// The appearance of a hero on the map: the outline depends on the hero's role, the pose on the activity, the
// animation frame on the time. Pure.
import type { Agent } from '../../net/protocol.gen'
import { isAtFile } from '../../state/agent-file'
import { textHash } from './terrain'
import type { Position } from './walking'

/** The outlines of heroes that scripts/art draws, one for each role of a code review. */
const ROLES = [
  'architect',
  'sentinel',
  'archaeologist',
  'cartographer',
  'alchemist',
  'healer',
  'sage',
  'warden',
  'scout',
  'bard',
  'oracle',
] as const

/**
 * The outline of an agent: one for people, one for coding agents, else that of its role. A role without an outline
 * gets one by a hash, so it stays the same.
 */
export function outlineOf(a: Agent): string {
  if (a.kind === 'human') return 'person'
  if (a.state) return 'golem'
  const known = ROLES.find((r) => r === a.role || r === a.id)
  return known ?? ROLES[textHash(a.id) % ROLES.length]!
}

export type Pose = 'read' | 'think' | 'wait' | 'talk' | 'cheer' | 'write' | 'search' | 'cut'

/** Facts about a hero that decide its pose, in addition to its activity. */
interface Known {
  /** Whether the map shows a speech bubble of the hero. */
  speaks: boolean
  /** Whether the hero is shown at a file and is at work. */
  reads: boolean
  /** Whether the hero's last row was interrupted. */
  cut: boolean
  /** Whether the hero's process is done. */
  done: boolean
}

/** The pose of a hero that stands still; null for the neutral pose. */
export function poseOf(a: Agent, { speaks, reads, cut, done }: Known): Pose | null {
  if (a.state?.state === 'waiting') return 'wait'
  if (speaks) return 'talk'
  if (a.state?.state === 'working') return !isAtFile(a.state) ? 'think' : a.state.edits ? 'write' : 'read'
  const named = poseFor(a.activity)
  if (named) return named
  if (reads) return 'read'
  if (a.status === 'running') return 'think'
  if (cut) return 'cut'
  return done ? 'cheer' : null
}

/** The pose for an activity that a driver reports. */
function poseFor(activity: string | undefined): Pose | null {
  switch (activity) {
    case 'reading':
      return 'read'
    case 'writing':
    case 'editing':
      return 'write'
    case 'searching':
      return 'search'
    case 'waiting':
      return 'wait'
    default:
      return null
  }
}

/** How long each frame of an animation is shown, in milliseconds: while a hero walks, stands, or has a pose. */
const WALK_MS = 130
const IDLE_MS = 900
const POSE_MS: Readonly<Record<Pose, number>> = {
  read: 1100,
  think: 800,
  wait: 700,
  talk: 360,
  cheer: 360,
  write: 420,
  search: 600,
  cut: 1000,
}

/** The name of the atlas piece for a hero at the time now. still: whether motion is turned off. */
export function heroFrame(outline: string, p: Position, pose: Pose | null, now: number, still: boolean): string {
  const at = (ms: number, frames: number): number => (still ? 0 : Math.floor(now / ms) % frames)
  if (p.moving) return `hero.${outline}.${p.direction}.walk${at(WALK_MS, 4)}`
  if (pose) return `hero.${outline}.${pose}${at(POSE_MS[pose], pose === 'cut' ? 1 : 2)}`
  return `hero.${outline}.${p.direction}.idle${at(IDLE_MS, 2)}`
}
