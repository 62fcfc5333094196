// The collisions of coding agents by path. Pure.
import type { Collision } from '../net/protocol.gen'
import { parent } from './path'

export interface CollisionsAt {
  /** The paths of the files at which coding agents collide. */
  at: ReadonlySet<string>
  /**
   * For each folder, the number of files below it, at any depth, at which coding agents collide; '' is the linked
   * folder.
   */
  below: ReadonlyMap<string, number>
  /** The number of files directly in the linked folder at which coding agents collide. */
  top: number
}

export function collisionsOf(collisions: readonly Collision[] = []): CollisionsAt {
  const below = new Map<string, number>()
  for (const { path } of collisions) {
    for (let folder = parent(path); folder !== ''; folder = parent(folder))
      below.set(folder, (below.get(folder) ?? 0) + 1)
    below.set('', (below.get('') ?? 0) + 1)
  }
  return {
    at: new Set(collisions.map((c) => c.path)),
    below,
    top: collisions.filter((c) => parent(c.path) === '').length,
  }
}
