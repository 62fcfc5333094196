// The flag of the worst finding at a thing.
import type { ReadonlySignal } from '@preact/signals'
import { usePart } from '../panels/use-select'
import { Flag } from './flag'
import type { Flags } from './flags'

export function ThingFlag({ path, flags }: { path: string; flags: ReadonlySignal<Flags> }) {
  const severity = usePart(() => flags.value.at.get(path), [path, flags])
  return severity ? <Flag severity={severity} /> : null
}
