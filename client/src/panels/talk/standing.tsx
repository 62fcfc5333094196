// What a conversation waits for, or how it ended.
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { StateMark } from '../state-mark'

/** What it waits for, or how it ended. */
export function TalkStanding(at: InView) {
  const text = kindOf(at.view).standing(at)
  if (text === '') return null
  return (
    <p class="talk-standing" role="status" data-testid="talk-standing">
      <StateMark state={at.view.status === 'interrupted' ? 'interrupted' : 'waiting'} />
      {text}
    </p>
  )
}
