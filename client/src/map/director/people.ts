// The marks of people: at the file or in the room where each looks. Pure.
import type { MapChange, Site } from '../../net/protocol.gen'
import type { Onlooker } from '../../state/people'
import { lastPart } from '../../state/select'
import { siteOf } from '../canvas/terrain'
import type { MapMark } from './map-marks'

/**
 * How far people stand from the middle of the door that leads out, in tiles: far enough not to cover the door's name.
 */
const BESIDE = 3.5
const NO_FINDINGS = { glow: 0, severities: [], total: 0, uncommitted: 0, old: '' }

/** Marks of people beside the doors of houses. */
export function peopleAtHouses(sites: readonly Site[], people: readonly Onlooker[]): MapMark[] {
  return sites.flatMap((s) => {
    const here = people.filter((p) => siteOf(sites, p.room) === s)
    if (here.length === 0) return []
    const at = { path: s.path, name: s.name, x: s.doorX - 1, y: s.doorY + 0.8 }
    return [{ ...NO_FINDINGS, kind: 'people', ...at, people: here }]
  })
}

/**
 * The marks of people on a page of a room. People at a file stand right of it; the others stand in the upper row of
 * the first page, which is empty.
 */
export function peopleInRoom({ path, page, room }: MapChange, people: readonly Onlooker[]): MapMark[] {
  const here = people.filter((p) => p.room === path)
  const mark = (o: { path: string; name: string }, x: number, y: number, file: string): MapMark[] => {
    const there = here.filter((p) => p.file === file)
    if (there.length === 0) return []
    return [{ ...NO_FINDINGS, kind: 'people', path: o.path, name: o.name, x, y, people: there }]
  }
  const beside = Math.min(room.width - 1.5, room.width / 2 + BESIDE)
  return [
    ...(page === 0 ? mark({ path, name: lastPart(path) }, beside, 2, '') : []),
    ...room.objects.flatMap((o) => mark(o, o.x + 1.3, o.y + 0.9, o.path)),
  ]
}

/** Whether the people of the mark look at a file and not at a folder. */
export function isAtFile(m: MapMark): boolean {
  return m.people.some((p) => p.file !== '' && p.file === m.path)
}
