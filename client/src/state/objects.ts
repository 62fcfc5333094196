// The places of note: the part of the fold that mirrors Object of shared/world. They
// follow from findings, quests and artifacts; whatever changes one of them settles the
// place. Pure.
import type { Object as Place, World } from '../net/protocol.gen'

/** How many places a world names; more are not noted. */
const MAX_OBJECTS = 500
/** The keep stands in the middle of the overworld. */
const MIDDLE = 60

/** What an object stands for: its kind, and the path or the member. */
export interface Spot {
  kind: 'keep' | 'place' | 'fort'
  of: string
}

/** Where findings and quests of a path stand. */
export const placeSpot = (path = ''): Spot => ({ kind: path === '' ? 'keep' : 'place', of: path })
/** Where artifacts of a member stand. */
export const makerSpot = (agentId: string): Spot => ({ kind: agentId === '' ? 'keep' : 'fort', of: agentId })

/** Makes the objects of these spots what stands there now. Spots may be named twice. */
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

/** The object of a spot, null where nothing stands on it. */
function counted(w: World, { kind, of }: Spot, id: string): Place | null {
  const findings = kind === 'fort' ? 0 : w.findings.filter((f) => f.path === of && !f.withdrawn).length
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

/** A hash of kind and path or member: FNV-1a over UTF-8, forwards and backwards. */
function idOf({ kind, of }: Spot): string {
  const text = new TextEncoder().encode(`${kind}/${of}`)
  return `o${hash(text)}${hash(text.toReversed())}`
}

function hash(bytes: Uint8Array): string {
  let h = 2166136261
  for (const b of bytes) h = Math.imul(h ^ b, 16777619)
  return (h >>> 0).toString(16).padStart(8, '0')
}
