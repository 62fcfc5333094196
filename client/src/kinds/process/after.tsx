// Under the transcript of a review that has ended: questions to the guide, who answers with facts about the repository.
import { AskGuide } from '../../panels/conversation/ask-guide'
import { useApp } from '../../panels/context'
import { useSelect } from '../../panels/use-select'
import { guideOf, isQuiet } from '../../state/guide'
import { looked } from '../../state/results'
import type { ConversationProps } from '../kind'
import { processWords } from './words'

export function AfterProcess({ view, realm }: ConversationProps) {
  const app = useApp()
  const guide = useSelect(() => (isQuiet(app.model) ? guideOf(app.model) : null), [app])
  const current = view.conversationId === realm.world.processState.conversationId
  if (guide === null || !app.host.value || !current || !looked(realm, view.conversationId)) return null
  return <AskGuide guide={guide} questions={processWords.afterwards} testid="after-questions" small />
}
