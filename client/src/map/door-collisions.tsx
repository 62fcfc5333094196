// The mark at a door if coding agents are in each other's way in the folder behind it.
import type { ReadonlySignal } from '@preact/signals'
import { usePart } from '../panels/use-select'
import { filesWords } from '../words-files'
import { CollisionMark } from './collision-mark'
import type { CollisionsAt } from './collisions'

export function DoorCollisions({ path, collisions }: { path: string; collisions: ReadonlySignal<CollisionsAt> }) {
  const n = usePart(() => collisions.value.below.get(path) ?? 0, [path, collisions])
  return n > 0 ? <CollisionMark text={filesWords.below(n)} /> : null
}
