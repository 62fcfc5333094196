// The number of findings below a door.
import type { ReadonlySignal } from '@preact/signals'
import { usePart } from '../panels/use-select'
import { count, words } from '../words'
import { Flag } from './flag'
import type { Flags } from './flags'

export function DoorFlags({ path, flags }: { path: string; flags: ReadonlySignal<Flags> }) {
  const n = usePart(() => flags.value.below.get(path) ?? 0, [path, flags])
  if (n === 0) return null
  return (
    <span class="door-flags" title={words.map.flags(n)}>
      <Flag severity="medium" /> {count(n)}
    </span>
  )
}
