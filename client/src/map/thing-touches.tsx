// The coding agents that have touched a file, in a room's list of files. A click on their number shows which of them
// have read and which have edited the file.
import type { ReadonlySignal } from '@preact/signals'
import { usePart, useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { filesWords } from '../words-files'
import { CollisionMark } from './collision-mark'
import type { CollisionsAt } from './collisions'
import { FileTimeline } from './file-timeline'

interface Props {
  realm: RealmModel
  path: string
  collisions: ReadonlySignal<CollisionsAt>
}

export function ThingTouches({ realm, path, collisions }: Props) {
  const clashes = usePart(() => collisions.value.at.has(path), [path, collisions])
  const agents = useSelect(
    () => new Set((realm.world.touches ?? []).flatMap((t) => (t.path === path ? [t.agentId] : []))).size,
    [realm, path],
  )
  if (agents === 0) return null
  return (
    <details class="thing-touches">
      <summary>
        {clashes && <CollisionMark text={filesWords.here} />} {filesWords.agents(agents)}
      </summary>
      <FileTimeline realm={realm} path={path} />
    </details>
  )
}
