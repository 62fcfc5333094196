// Decides from a file's size, commits and last change which piece of the atlas, and which glow, moss and footprints the
// file's drawing gets. Pure.
import type { RoomObject } from '../../net/protocol.gen'

/** How long a changed file glows, in milliseconds. */
const GLOW_MS = 60_000
const DAY = 86_400_000

export function sizeOf(bytes: number | undefined): 's' | 'm' | 'l' {
  return (bytes ?? 0) < 4 << 10 ? 's' : (bytes ?? 0) < 64 << 10 ? 'm' : 'l'
}

export function objectPiece(o: RoomObject): string {
  const kind = ['file', 'doc', 'config', 'test', 'link'].includes(o.kind) ? o.kind : 'file'
  let n = 0
  for (let i = 0; i < o.id.length; i++) n += o.id.charCodeAt(i)
  return `object.${kind}.${sizeOf(o.size)}.${n % 2}`
}

/** The level of moss on a file: 1 after half a year without a commit, 2 after one year, 3 after two years, else 0. */
export function moss(touched: string | undefined, now: number): 0 | 1 | 2 | 3 {
  if (!touched) return 0
  const days = (now - Date.parse(touched)) / DAY
  return days > 730 ? 3 : days > 365 ? 2 : days > 180 ? 1 : 0
}

/** The level of footprints around a file: 1 from 5 commits on, 2 from 12 on, 3 from 30 on, else 0. */
export function footprints(commits: number | undefined): 0 | 1 | 2 | 3 {
  const n = commits ?? 0
  return n >= 30 ? 3 : n >= 12 ? 2 : n >= 5 ? 1 : 0
}

export function glows(changed: string | undefined, now: number): boolean {
  if (!changed) return false
  const age = now - Date.parse(changed)
  return age < GLOW_MS && age > -GLOW_MS
}
