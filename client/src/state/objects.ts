// The world's objects: a map object for each file or folder with findings or with quests that are not done, for each
// member with artifacts, and for the keep. This file mirrors Object of shared/world. A change of a finding, a quest or
// an artifact updates the object of its place. Pure.
import type { Object as Place, World } from '../net/protocol.gen'
import { stands } from './findings'

/** The maximum number of objects of a world. Further objects are left out. */
const MAX_OBJECTS = 500
/** The keep stands on the middle tile of the country: this is its x and its y. */
const MIDDLE = 60

/** Identifies a map object. of: the path of a place, the agentId of a fort, or "" for the keep. */
export interface Spot {
  kind: 'keep' | 'place' | 'fort'
  of: string
}

/** Identifies the map object that counts the findings and quests of a path. */
export const placeSpot = (path = ''): Spot => ({ kind: path === '' ? 'keep' : 'place', of: path })
/** Identifies the map object that counts the artifacts of a member. */
export const makerSpot = (agentId: string): Spot => ({ kind: agentId === '' ? 'keep' : 'fort', of: agentId })

/** Updates the objects of these spots. A spot may be repeated. */
export function settle(w: World, ...spots: readonly (Spot | undefined)[]): World {
  let objects = w.objects
  for (const spot of spots) {
    if (!spot) continue
    const id = idOf(spot)
    const at = objects.findIndex((o) => o.id >= id)
    const there = at >= 0 && objects[at]?.id === id
    if (!there && objects.length >= MAX_OBJECTS) continue
    const now = counted(w, spot, id)
    if (there) objects = now ? objects.with(at, now) : objects.toSpliced(at, 1)
    else if (now) objects = objects.toSpliced(at < 0 ? objects.length : at, 0, now)
  }
  return objects === w.objects ? w : { ...w, objects }
}

/** The object of a spot with its numbers of findings, quests and artifacts; null if all three numbers are 0. */
function counted(w: World, { kind, of }: Spot, id: string): Place | null {
  const findings = kind === 'fort' ? 0 : w.findings.filter((f) => f.path === of && stands(f)).length
  const quests = kind === 'fort' ? 0 : w.quests.filter((q) => (q.path ?? '') === of && q.status !== 'done').length
  const artifacts = kind === 'place' ? 0 : w.artifacts.filter((a) => a.agentId === of).length
  if (findings + quests + artifacts === 0) return null
  return {
    ...standing(w, { kind, of }, id),
    ...(findings > 0 ? { findings } : {}),
    ...(quests > 0 ? { quests } : {}),
    ...(artifacts > 0 ? { artifacts } : {}),
  }
}

function standing(w: World, { kind, of }: Spot, id: string): Place {
  switch (kind) {
    case 'keep':
      return { id, kind, name: '', path: '', x: MIDDLE, y: MIDDLE }
    case 'place':
      return { id, kind, name: of.slice(of.lastIndexOf('/') + 1), path: of }
    case 'fort': {
      const fort = w.forts.find((f) => f.agentId === of)
      return { id, kind, name: of, path: '', agentId: of, ...(fort ? { x: fort.x, y: fort.y } : {}) }
    }
  }
}

/**
 * The id of a spot's object: two FNV-1a hashes of the text `${kind}/${of}` in UTF-8, one over its bytes in order, one
 * over its bytes in reverse order.
 */
function idOf({ kind, of }: Spot): string {
  const text = new TextEncoder().encode(`${kind}/${of}`)
  return `o${hash(text)}${hash(text.toReversed())}`
}

function hash(bytes: Uint8Array): string {
  let h = 2166136261
  for (const b of bytes) h = Math.imul(h ^ b, 16777619)
  return (h >>> 0).toString(16).padStart(8, '0')
}
