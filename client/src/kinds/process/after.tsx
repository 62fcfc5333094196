// Under the transcript of a process that has ended: a form to ask the guide.
import { AskGuide } from '../../panels/conversation/ask-guide'
import { useApp } from '../../panels/context'
import { useSelect } from '../../panels/use-select'
import { guideOf, isQuiet } from '../../state/guide'
import type { ConversationProps } from '../kind'
import { processWords } from './words'

export function AfterProcess({ view, realm }: ConversationProps) {
  const app = useApp()
  const guide = useSelect(() => (isQuiet(app.model) ? guideOf(app.model) : null), [app])
  if (guide === null || !app.host.value || view.conversationId !== realm.world.processState.conversationId) return null
  return <AskGuide guide={guide} questions={processWords.afterwards} testid="after-questions" small />
}
