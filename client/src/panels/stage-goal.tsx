// The goal of a stage: its first sentence on one line, and after a click all of it and how the members act.
import { words } from '../words'
import { firstSentence } from './cut'

interface Props {
  goal: string
  /** Whether the members act at the same time. */
  parallel: boolean
  whole: boolean
}

export function StageGoal({ goal, parallel, whole }: Props) {
  if (goal === '') return null
  if (whole) {
    return (
      <>
        <p class="goal">{goal}</p>
        {parallel && <p class="goal">{words.stage.parallel}</p>}
      </>
    )
  }
  const first = firstSentence(goal)
  return (
    <p class="goal clamp" title={goal} data-more={first !== goal || parallel ? '' : undefined}>
      {first}
    </p>
  )
}
