// What the head of a process has besides its buttons: the way to its result, and the choice of a stage.
import type { ConversationProps } from '../kind'
import { ShowResult } from './show-result'
import { StagePick } from './stage-pick'

export function ProcessTools(at: ConversationProps) {
  return (
    <>
      <ShowResult {...at} />
      <StagePick {...at} />
    </>
  )
}
