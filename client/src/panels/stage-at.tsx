// The number of a stage and how many stages the process has.
import { words } from '../words'

/** short: whether the number stands without the word "Stage", which screen readers read nevertheless. */
export function StageAt({ index, total, short }: { index: number; total: number; short: boolean }) {
  const at = words.stage.at(index + 1, total)
  if (!short) return <span class="stage-at">{at}</span>
  return (
    <span class="stage-at">
      <span class="visually-hidden">{at}</span>
      <span aria-hidden="true">{words.stage.atShort(index + 1, total)}</span>
    </span>
  )
}
