// The marks of a place: at each house what is known about its folder, and the flags and banners in a room.
// people.ts has the marks of people. Pure.
import type { Finding, MapChange, Site } from '../../net/protocol.gen'
import type { Onlooker } from '../../state/people'
import { countBySeverity, ROOT, stands, type Severity } from '../../state/findings'
import { siteOf } from '../canvas/terrain'
import { moss } from '../canvas/marks'

/** The maximum number of marks in a place. The marks with the fewest findings are left out. */
export const MAX_MARKS = 300

export interface MapMark {
  kind: 'house' | 'door' | 'file' | 'people'
  /** The folder or file; '' for the keep. */
  path: string
  name: string
  /** The position of the mark in tiles: the middle of its lower edge. */
  x: number
  y: number
  /** The side of the glowing area in tiles; 0 for no glow. */
  glow: number
  /** The number of findings of each severity, worst first. */
  severities: readonly (readonly [Severity, number])[]
  total: number
  /** The number of uncommitted files below the folder, for a mark of the kind house; else 0. */
  uncommitted: number
  /** The time of the last commit if the folder or file is old, else ''. */
  old: string
  /** The people who look at the folder or file, for a mark of the kind people; else empty. */
  people: readonly Onlooker[]
}

/**
 * The marks of houses. A finding that stands (see state/findings.ts) counts at the house of its top-level folder, or
 * at the keep.
 * root: the known pages of the room of the linked folder, which have the uncommitted files and the ages of folders.
 */
export function houseMarks(
  sites: readonly Site[],
  findings: readonly Finding[],
  root: readonly MapChange[],
  now: number,
): MapMark[] {
  const below = new Map<string, Finding[]>(sites.map((s) => [s.path, []]))
  for (const f of findings) {
    if (!stands(f)) continue
    const site = siteOf(sites, f.path)
    if (site) below.get(site.path)!.push(f)
  }
  const doors = new Map(root.flatMap((page) => page.room.doors.filter((d) => !d.back).map((d) => [d.path, d] as const)))
  const own = root.flatMap((page) => page.room.objects.filter((o) => o.committed === false)).length
  const marks = sites.map((s): MapMark => {
    const here = below.get(s.path)!
    const door = doors.get(s.path)
    const touched = door?.touched ?? ''
    return {
      kind: 'house',
      path: s.path,
      name: s.name,
      x: s.x + s.width / 2,
      y: s.y - 0.5,
      glow: here.length > 0 ? Math.max(s.width, s.height) : 0,
      severities: countBySeverity(here),
      total: here.length,
      uncommitted: s.path === '' ? own : (door?.uncommitted ?? 0),
      old: moss(touched || undefined, now) > 0 ? touched : '',
      people: [],
    }
  })
  return bounded(marks.filter((m) => m.total + m.uncommitted > 0 || m.old !== ''))
}

/** The marks of a page of a room: banners at doors by the findings below the folder, and flags of files. */
export function roomMarks(change: MapChange, findings: readonly Finding[]): MapMark[] {
  const inRoom = change.path === '' ? '' : `${change.path}/`
  const at = new Map<string, Finding[]>()
  for (const f of findings) {
    if (!stands(f) || f.path === '' || !f.path.startsWith(inRoom)) continue
    const child = inRoom + f.path.slice(inRoom.length).split('/')[0]
    const there = at.get(child)
    if (there) there.push(f)
    else at.set(child, [f])
  }
  const mark = (kind: MapMark['kind'], o: { path: string; name: string; x: number; y: number }): MapMark[] => {
    const here = at.get(o.path)
    if (!here) return []
    const severities = countBySeverity(here)
    const rest = { glow: 0, severities, total: here.length, uncommitted: 0, old: '', people: [] }
    return [{ kind, path: o.path, name: o.name, x: o.x + 0.5, y: o.y + 0.2, ...rest }]
  }
  const doors = change.room.doors.filter((d) => !d.back).flatMap((d) => mark('door', d))
  return bounded([...doors, ...change.room.objects.flatMap((o) => mark('file', o))])
}

function bounded(marks: MapMark[]): MapMark[] {
  return marks.length <= MAX_MARKS ? marks : marks.toSorted((a, b) => b.total - a.total).slice(0, MAX_MARKS)
}

/**
 * The folder to which the list of findings is filtered for a house; '' if only the unfiltered list has all of the
 * house's findings.
 */
export function folderFor(sites: readonly Site[], findings: readonly Finding[], path: string): string {
  if (path !== '') return path
  const alone = findings.every((f) => !stands(f) || siteOf(sites, f.path)?.path !== '' || !f.path.includes('/'))
  return alone ? ROOT : ''
}
